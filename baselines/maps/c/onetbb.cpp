// oneTBB's concurrent_hash_map behind plain functions, for src/raw/onetbb.rs. Keys are words, and
// values are addresses of rows, which are not touched here.
//
// An accessor is a pointer to an entry together with its lock. It lives in storage of the caller, of
// ACCESSOR_BYTES, from the call that fills it to the call that ends it. A call that answers null has
// left nothing in it.
//
// The map takes its memory from the program's global allocator, as the other maps do, and needs no
// library of oneTBB: all that is used is in its headers.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include <oneapi/tbb/concurrent_hash_map.h>

namespace {

using Row = void *;

// As in src/hash.rs; a test compares them.
struct Hash {
  static std::size_t hash(std::uint64_t key) {
    unsigned __int128 product = key ^ 0x9e3779b97f4a7c15ull;
    product *= 0xd6e8feb86659fd93ull;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  static bool equal(std::uint64_t one, std::uint64_t other) { return one == other; }
};

using Allocator = std::allocator<std::pair<const std::uint64_t, Row>>;
using Map = tbb::concurrent_hash_map<std::uint64_t, Row, Hash, Allocator>;
using Reading = Map::const_accessor;
using Writing = Map::accessor;
using Walk = Map::iterator;

constexpr std::size_t ACCESSOR_BYTES = 64;
static_assert(sizeof(Reading) <= ACCESSOR_BYTES && alignof(Reading) <= 16, "room for an accessor");
static_assert(sizeof(Writing) <= ACCESSOR_BYTES && alignof(Writing) <= 16, "room for an accessor");
static_assert(sizeof(Walk) <= ACCESSOR_BYTES && alignof(Walk) <= 16, "room for an iterator");

}  // namespace

extern "C" {

std::uint64_t nibble_onetbb_hash(std::uint64_t key) { return Hash::hash(key); }

// Null if there is no memory.
Map *nibble_onetbb_open(std::size_t entries) noexcept {
  try {
    return entries == 0 ? new Map() : new Map(entries);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

void nibble_onetbb_close(Map *map) noexcept { delete map; }

std::size_t nibble_onetbb_entries(const Map *map) noexcept { return map->size(); }

std::size_t nibble_onetbb_buckets(const Map *map) noexcept { return map->bucket_count(); }

// The row of `key` under the entry's shared lock, or null.
Row nibble_onetbb_read(const Map *map, std::uint64_t key, void *storage) noexcept {
  Reading *reading = new (storage) Reading();
  if (map->find(*reading, key)) return (*reading)->second;
  reading->~Reading();
  return nullptr;
}

void nibble_onetbb_end_read(void *storage) noexcept { static_cast<Reading *>(storage)->~Reading(); }

// The place of the row of `key` under the entry's exclusive lock. A new entry's row is null. Null if
// there is no memory for an entry.
Row *nibble_onetbb_enter(Map *map, std::uint64_t key, void *storage) noexcept {
  Writing *writing = new (storage) Writing();
  try {
    map->insert(*writing, key);
    return &(*writing)->second;
  } catch (const std::bad_alloc &) {
    writing->~Writing();
    return nullptr;
  }
}

// The same for a key that is there, or null.
Row *nibble_onetbb_write(Map *map, std::uint64_t key, void *storage) noexcept {
  Writing *writing = new (storage) Writing();
  if (map->find(*writing, key)) return &(*writing)->second;
  writing->~Writing();
  return nullptr;
}

void nibble_onetbb_end_write(void *storage) noexcept { static_cast<Writing *>(storage)->~Writing(); }

// Removes the entry whose lock is held, and ends the accessor.
void nibble_onetbb_erase(Map *map, void *storage) noexcept {
  Writing *writing = static_cast<Writing *>(storage);
  map->erase(*writing);
  writing->~Writing();
}

// Iterators are for moments at which nobody else uses the map.
void nibble_onetbb_walk(Map *map, void *storage) noexcept { new (storage) Walk(map->begin()); }

// The next row, whose key is written to `key`, or null, which ends the iterator.
Row nibble_onetbb_next(Map *map, void *storage, std::uint64_t *key) noexcept {
  Walk *walk = static_cast<Walk *>(storage);
  if (*walk == map->end()) {
    walk->~Walk();
    return nullptr;
  }
  *key = (*walk)->first;
  Row row = (*walk)->second;
  ++*walk;
  return row;
}

}  // extern "C"
