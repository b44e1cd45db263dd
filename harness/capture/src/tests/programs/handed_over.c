/* A thread frees and resizes what another one allocated; sizes tell them from the C library's. */
#include <pthread.h>
#include <stdlib.h>

static void *take(void *objects) {
  void **both = objects;
  free(both[0]);
  both[1] = realloc(both[1], 30003);
  return malloc(40004);
}

int main(void) {
  void *both[2] = {malloc(10001), malloc(20002)};
  pthread_t thread;
  void *third;
  if (pthread_create(&thread, NULL, take, both) != 0) return 2;
  pthread_join(thread, &third);
  free(third);
  free(both[1]);
  return 0;
}
