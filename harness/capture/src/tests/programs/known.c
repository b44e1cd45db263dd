/* Allocates a known sequence, alone, as a copy of itself, and as a program begun by the copy. */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **arguments) {
  if (count > 1) {
    free(malloc(7));
    return 0;
  }
  volatile size_t too_many = PTRDIFF_MAX;
  char *a = malloc(100);
  char *b = calloc(10, 30);
  a = realloc(a, 5000);
  char *c = aligned_alloc(64, 128);
  void *d = NULL;
  if (posix_memalign(&d, 4096, 50) != 0 || (uintptr_t)d % 4096 != 0) return 2;
  char *e = memalign(32, 33);
  char *f = realloc(NULL, 40);
  char *g = reallocarray(NULL, 4, 11);
  g = reallocarray(g, 5, 11);
  free(b);
  if (realloc(f, too_many) != NULL || errno != ENOMEM) return 3;
  if (reallocarray(f, too_many, 4) != NULL || malloc(too_many) != NULL) return 4;
  if (calloc(too_many, 4) != NULL || posix_memalign(&d, 3, 8) != EINVAL) return 5;
  errno = 77;
  f = realloc(f, 0);
  char *h = valloc(9);
  h[8] = 1;
  free(NULL);
  free(e);
  if (errno != 77 || f != NULL) return 6;

  pid_t copy = fork();
  if (copy == 0) {
    free(c);
    char *x = malloc(60);
    d = realloc(d, 70);
    free(x);
    execl(arguments[0], arguments[0], "again", NULL);
    _exit(7);
  }
  int status;
  if (waitpid(copy, &status, 0) != copy || status != 0) return 8;
  free(malloc(0));
  free(a);
  free(pvalloc(10));
  return 0;
}
