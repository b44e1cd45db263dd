// mimalloc 2 under names of its own. The build makes every other symbol of this file local, so mimalloc 3
// can be in the same program: both define the same names.

#include "static.c"

// src/mimalloc/v2.rs names options by their positions.
_Static_assert(_mi_option_last == 38, "positions of options changed: check OPTIONS in v2.rs");

void *mimalloc2_malloc(size_t bytes) { return mi_malloc(bytes); }
void *mimalloc2_malloc_aligned(size_t bytes, size_t alignment) { return mi_malloc_aligned(bytes, alignment); }
void *mimalloc2_realloc(void *block, size_t bytes) { return mi_realloc(block, bytes); }
void mimalloc2_free(void *block) { mi_free(block); }
size_t mimalloc2_usable_size(const void *block) { return mi_usable_size(block); }
void mimalloc2_collect(bool force) { mi_collect(force); }
int mimalloc2_version(void) { return mi_version(); }
long mimalloc2_option_get(int option) { return mi_option_get((mi_option_t)option); }
bool mimalloc2_is_in_heap_region(const void *block) { return mi_is_in_heap_region(block); }
