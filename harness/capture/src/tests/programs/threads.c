/* Four threads exchange objects, so that one frees or resizes what another one allocated. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 100000, PLACES = 64 };
static _Atomic(void *) places[PLACES];

static void *work(void *seed) {
  uint64_t state = (uintptr_t)seed;
  for (int round = 0; round < ROUNDS; round++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    size_t bytes = 100001 + (state >> 33) % 3 * 16;
    if (state >> 60 != 0) bytes = 16 + (state >> 33) % 300;
    void *object = atomic_exchange(&places[(state >> 50) % PLACES], malloc(bytes));
    if (round % 3 == 0 && object != NULL) object = realloc(object, bytes / 2 + 1);
    free(object);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (uintptr_t thread = 0; thread < THREADS; thread++)
    if (pthread_create(&threads[thread], NULL, work, (void *)(thread + 1)) != 0) return 2;
  for (int thread = 0; thread < THREADS; thread++) pthread_join(threads[thread], NULL);
  for (int place = 0; place < PLACES; place++) free(places[place]);
  return 0;
}
