/* Alone: a library with thread-local memory. With MAIN: a program whose threads come to use so
   many of them that the dynamic loader allocates while a thread asks for its own. */
#ifndef MAIN
static __thread int mine[4];
int *get(void) { return mine; }
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

static void *(*gets[256])(void);
static int count;
static pthread_barrier_t loaded;

static void *touch(void *nothing) {
  free(malloc(1));
  pthread_barrier_wait(&loaded);
  for (int number = 0; number < count; number++) {
    free(malloc(2));
    *(int *)gets[number]() = 1;
  }
  return nothing;
}

int main(int arguments, char **libraries) {
  pthread_t thread;
  pthread_barrier_init(&loaded, NULL, 2);
  if (pthread_create(&thread, NULL, touch, NULL) != 0) return 2;
  for (count = 0; count + 1 < arguments; count++) {
    void *library = dlopen(libraries[count + 1], RTLD_NOW);
    if (library == NULL) return 3;
    gets[count] = (void *(*)(void))dlsym(library, "get");
    free(malloc(3));
  }
  pthread_barrier_wait(&loaded);
  pthread_join(thread, NULL);
  return 0;
}
#endif
