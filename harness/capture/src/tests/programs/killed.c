/* Ends without a chance to tidy up, after a known sequence that needs more than one window. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  for (size_t bytes = 1; bytes <= 300000; bytes++) {
    char *object = malloc(bytes % 1000);
    if (bytes % 50 != 0) free(object);
  }
  kill(getpid(), SIGKILL);
  return 1;
}
