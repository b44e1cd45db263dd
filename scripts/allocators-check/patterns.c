/* Fragmentation patterns P1-P6 on malloc and free, and how much memory they leave resident.
 *
 * It shares no line with the suite. The table of live objects lies in shared memory, which the
 * count of anonymous pages leaves out. The count begins before any constructor of an allocator has
 * run: what an allocator touches before `main` is its own.
 *
 *   patterns P3 67108864 42          pattern, cap on live bytes, seed
 *   -> P3 first=1000 second=1030 delete-percent=90 live-bytes=67108140 resident-bytes=...
 *
 * ALLOCATE and RELEASE call the allocator where it is linked in under names of its own, DECLARE
 * declares them, OPEN prepares it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef DECLARE
DECLARE
#else
#define ALLOCATE(bytes) malloc(bytes)
#define RELEASE(block, bytes) free(block)
#endif
#ifndef OPEN
#define OPEN()
#endif

#define KIB 1024
#define DELETE_PERCENT 90

static const struct pattern {
    const char *name;
    size_t first, second;
} PATTERNS[] = {
    {"P1", 60, 70},
    {"P2", 1000, 1024},
    {"P3", 1000, 1030},
    {"P4", 1 * KIB, 10 * KIB},
    {"P5", 10 * KIB, 100 * KIB},
    {"P6", 500 * KIB, 600 * KIB},
};

struct object {
    unsigned char *block;
    size_t bytes;
};

static struct object *live;
static size_t objects, live_bytes, cap;
static uint64_t state;
static long before_bytes;

/* SplitMix64. */
static uint64_t draw(void) {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Anonymous resident bytes: from the page tables, by system calls alone, so that it can run before
 * the C library is set up and never allocates. */
static long anonymous_bytes(void) {
    static char text[4096];
    int file = open("/proc/self/smaps_rollup", O_RDONLY);
    if (file < 0) return -1;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = 0;
    const char *line = strstr(text, "\nAnonymous:");
    return line ? strtol(line + 11, NULL, 10) * KIB : -1;
}

static void before_constructors(void) { before_bytes = anonymous_bytes(); }
__attribute__((section(".preinit_array"), used)) static void (*const before)(void) =
    before_constructors;

/* What every byte of a block holds. */
static unsigned char mark(const void *block) { return (unsigned char)((uintptr_t)block >> 4 | 1); }

static void create(size_t bytes) {
    unsigned char *block = ALLOCATE(bytes);
    if (!block) {
        fprintf(stderr, "patterns: no memory for %zu bytes\n", bytes);
        exit(2);
    }
    memset(block, mark(block), bytes);
    live[objects++] = (struct object){block, bytes};
    live_bytes += bytes;
}

static void destroy(size_t victim) {
    struct object object = live[victim];
    unsigned char marked = mark(object.block);
    if (object.block[0] != marked || object.block[object.bytes - 1] != marked) {
        fprintf(stderr, "patterns: a block of %zu bytes was overwritten\n", object.bytes);
        exit(2);
    }
    live_bytes -= object.bytes;
    live[victim] = live[--objects];
    RELEASE(object.block, object.bytes);
}

static void fill(size_t bytes) {
    while (live_bytes + bytes <= cap) create(bytes);
}

int main(int count, char **arguments) {
    const struct pattern *pattern = NULL;
    for (size_t at = 0; count == 4 && at < sizeof PATTERNS / sizeof *PATTERNS; at++)
        if (!strcmp(arguments[1], PATTERNS[at].name)) pattern = &PATTERNS[at];
    if (!pattern) {
        fprintf(stderr, "usage: patterns P1..P6 LIVE-BYTES SEED\n");
        return 2;
    }
    cap = strtoull(arguments[2], NULL, 10);
    state = strtoull(arguments[3], NULL, 10);
    if (before_bytes < 0) {
        fprintf(stderr, "patterns: /proc/self/smaps_rollup cannot be read\n");
        return 2;
    }
    /* With caches per core, what is freed on another core does not come back to this one. */
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    size_t least = pattern->first < pattern->second ? pattern->first : pattern->second;
    live = mmap(NULL, (cap / least + 1) * sizeof *live, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (live == MAP_FAILED) {
        perror("patterns: the table of live objects");
        return 2;
    }

    OPEN();
    fill(pattern->first);
    for (size_t left = (objects * DELETE_PERCENT + 50) / 100; left > 0; left--)
        destroy(draw() % objects);
    fill(pattern->second);

    long resident = anonymous_bytes() - before_bytes;
    printf("%s first=%zu second=%zu delete-percent=%d live-bytes=%zu resident-bytes=%ld\n",
           pattern->name, pattern->first, pattern->second, DELETE_PERCENT, live_bytes, resident);
    return 0;
}
