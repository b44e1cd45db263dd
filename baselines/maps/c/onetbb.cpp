// oneTBB's concurrent_hash_map behind plain functions, for src/raw/onetbb.rs. Keys are words or byte
// strings, and values are addresses of rows, which are not touched here.
//
// An accessor is a pointer to an entry together with its lock. It lives in storage of the caller, of
// ACCESSOR_BYTES, from the call that fills it to the call that ends it. A call that answers null has
// left nothing in it.
//
// The map takes its memory from the program's global allocator, as the other maps do, and needs no
// library of oneTBB: all that is used is in its headers.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include <oneapi/tbb/concurrent_hash_map.h>

namespace {

using Row = void *;

// As in kit's hash.rs; a test compares them.
constexpr std::uint64_t SALT = 0x9e3779b97f4a7c15ull;
constexpr std::uint64_t FACTOR = 0xd6e8feb86659fd93ull;

inline std::uint64_t mix(std::uint64_t key) {
  unsigned __int128 product = key ^ SALT;
  product *= FACTOR;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

struct Hash {
  static std::size_t hash(std::uint64_t key) { return mix(key); }
  static bool equal(std::uint64_t one, std::uint64_t other) { return one == other; }
};

// A byte string. One that is looked for belongs to the caller; a copy of it, as an entry has one, owns its
// bytes.
struct Bytes {
  const unsigned char *start;
  std::size_t bytes;
  bool owns;

  Bytes(const unsigned char *start, std::size_t bytes) : start(start), bytes(bytes), owns(false) {}

  Bytes(const Bytes &other) : start(nullptr), bytes(other.bytes), owns(true) {
    unsigned char *copy = static_cast<unsigned char *>(::operator new(bytes));
    if (bytes > 0) std::memcpy(copy, other.start, bytes);
    start = copy;
  }

  Bytes &operator=(const Bytes &) = delete;

  ~Bytes() {
    if (owns) ::operator delete(const_cast<unsigned char *>(start));
  }
};

struct HashBytes {
  static std::size_t hash(const Bytes &key) {
    std::uint64_t state = key.bytes * FACTOR;
    std::size_t at = 0;
    for (; key.bytes - at >= 8; at += 8) {
      std::uint64_t word;
      std::memcpy(&word, key.start + at, 8);
      state = mix(state ^ word);
    }
    if (at == key.bytes) return state;
    std::uint64_t last = 0;
    std::memcpy(&last, key.start + at, key.bytes - at);
    return mix(state ^ last);
  }
  static bool equal(const Bytes &one, const Bytes &other) {
    return one.bytes == other.bytes &&
           (one.bytes == 0 || std::memcmp(one.start, other.start, one.bytes) == 0);
  }
};

template <class Key, class Hashes>
using MapOf = tbb::concurrent_hash_map<Key, Row, Hashes, std::allocator<std::pair<const Key, Row>>>;
using Map = MapOf<std::uint64_t, Hash>;
using BytesMap = MapOf<Bytes, HashBytes>;

constexpr std::size_t ACCESSOR_BYTES = 64;

template <class M>
constexpr bool has_room = sizeof(typename M::const_accessor) <= ACCESSOR_BYTES &&
                          alignof(typename M::const_accessor) <= 16 &&
                          sizeof(typename M::accessor) <= ACCESSOR_BYTES &&
                          alignof(typename M::accessor) <= 16 &&
                          sizeof(typename M::iterator) <= ACCESSOR_BYTES &&
                          alignof(typename M::iterator) <= 16;
static_assert(has_room<Map> && has_room<BytesMap>, "room for an accessor, and for an iterator");

template <class M>
M *open(std::size_t entries) noexcept {
  try {
    return entries == 0 ? new M() : new M(entries);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

template <class M>
Row read(const M *map, const typename M::key_type &key, void *storage) noexcept {
  using Reading = typename M::const_accessor;
  Reading *reading = new (storage) Reading();
  if (map->find(*reading, key)) return (*reading)->second;
  reading->~Reading();
  return nullptr;
}

template <class M>
void end_read(void *storage) noexcept {
  using Reading = typename M::const_accessor;
  static_cast<Reading *>(storage)->~Reading();
}

template <class M>
Row *enter(M *map, const typename M::key_type &key, void *storage) noexcept {
  using Writing = typename M::accessor;
  Writing *writing = new (storage) Writing();
  try {
    map->insert(*writing, key);
    return &(*writing)->second;
  } catch (const std::bad_alloc &) {
    writing->~Writing();
    return nullptr;
  }
}

template <class M>
Row *write(M *map, const typename M::key_type &key, void *storage) noexcept {
  using Writing = typename M::accessor;
  Writing *writing = new (storage) Writing();
  if (map->find(*writing, key)) return &(*writing)->second;
  writing->~Writing();
  return nullptr;
}

template <class M>
void end_write(void *storage) noexcept {
  using Writing = typename M::accessor;
  static_cast<Writing *>(storage)->~Writing();
}

template <class M>
void erase(M *map, void *storage) noexcept {
  using Writing = typename M::accessor;
  Writing *writing = static_cast<Writing *>(storage);
  map->erase(*writing);
  writing->~Writing();
}

template <class M>
void walk(M *map, void *storage) noexcept {
  new (storage) typename M::iterator(map->begin());
}

// The next entry, or null, which ends the iterator.
template <class M>
typename M::value_type *next(M *map, void *storage) noexcept {
  using Walk = typename M::iterator;
  Walk *walk = static_cast<Walk *>(storage);
  if (*walk == map->end()) {
    walk->~Walk();
    return nullptr;
  }
  typename M::value_type *entry = &**walk;
  ++*walk;
  return entry;
}

}  // namespace

extern "C" {

std::uint64_t nibble_onetbb_hash(std::uint64_t key) { return Hash::hash(key); }

// Null if there is no memory.
Map *nibble_onetbb_open(std::size_t entries) noexcept { return open<Map>(entries); }

void nibble_onetbb_close(Map *map) noexcept { delete map; }

std::size_t nibble_onetbb_entries(const Map *map) noexcept { return map->size(); }

std::size_t nibble_onetbb_buckets(const Map *map) noexcept { return map->bucket_count(); }

// The row of `key` under the entry's shared lock, or null.
Row nibble_onetbb_read(const Map *map, std::uint64_t key, void *storage) noexcept {
  return read(map, key, storage);
}

void nibble_onetbb_end_read(void *storage) noexcept { end_read<Map>(storage); }

// The place of the row of `key` under the entry's exclusive lock. A new entry's row is null. Null if
// there is no memory for an entry.
Row *nibble_onetbb_enter(Map *map, std::uint64_t key, void *storage) noexcept {
  return enter(map, key, storage);
}

// The same for a key that is there, or null.
Row *nibble_onetbb_write(Map *map, std::uint64_t key, void *storage) noexcept {
  return write(map, key, storage);
}

void nibble_onetbb_end_write(void *storage) noexcept { end_write<Map>(storage); }

// Removes the entry whose lock is held, and ends the accessor.
void nibble_onetbb_erase(Map *map, void *storage) noexcept { erase(map, storage); }

// Iterators are for moments at which nobody else uses the map.
void nibble_onetbb_walk(Map *map, void *storage) noexcept { walk(map, storage); }

// The next row, whose key is written to `key`, or null, which ends the iterator.
Row nibble_onetbb_next(Map *map, void *storage, std::uint64_t *key) noexcept {
  Map::value_type *entry = next(map, storage);
  if (entry == nullptr) return nullptr;
  *key = entry->first;
  return entry->second;
}

// The same for byte strings.

std::uint64_t nibble_onetbb_bytes_hash(const unsigned char *key, std::size_t bytes) {
  return HashBytes::hash(Bytes(key, bytes));
}

BytesMap *nibble_onetbb_bytes_open(std::size_t entries) noexcept { return open<BytesMap>(entries); }

void nibble_onetbb_bytes_close(BytesMap *map) noexcept { delete map; }

std::size_t nibble_onetbb_bytes_entries(const BytesMap *map) noexcept { return map->size(); }

std::size_t nibble_onetbb_bytes_buckets(const BytesMap *map) noexcept {
  return map->bucket_count();
}

Row nibble_onetbb_bytes_read(const BytesMap *map, const unsigned char *key, std::size_t bytes,
                             void *storage) noexcept {
  return read(map, Bytes(key, bytes), storage);
}

void nibble_onetbb_bytes_end_read(void *storage) noexcept { end_read<BytesMap>(storage); }

Row *nibble_onetbb_bytes_enter(BytesMap *map, const unsigned char *key, std::size_t bytes,
                               void *storage) noexcept {
  return enter(map, Bytes(key, bytes), storage);
}

Row *nibble_onetbb_bytes_write(BytesMap *map, const unsigned char *key, std::size_t bytes,
                               void *storage) noexcept {
  return write(map, Bytes(key, bytes), storage);
}

void nibble_onetbb_bytes_end_write(void *storage) noexcept { end_write<BytesMap>(storage); }

void nibble_onetbb_bytes_erase(BytesMap *map, void *storage) noexcept { erase(map, storage); }

void nibble_onetbb_bytes_walk(BytesMap *map, void *storage) noexcept { walk(map, storage); }

// The key's bytes are the entry's.
Row nibble_onetbb_bytes_next(BytesMap *map, void *storage, const unsigned char **key,
                             std::size_t *bytes) noexcept {
  BytesMap::value_type *entry = next(map, storage);
  if (entry == nullptr) return nullptr;
  *key = entry->first.start;
  *bytes = entry->first.bytes;
  return entry->second;
}

}  // extern "C"
