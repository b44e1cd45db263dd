/* Two loops as one would write them in C, without anything of the suite around them. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Applies the sets `from` to `to` of a stream to windows that are all mapped. */
void plain_updates(uint64_t *const *windows, uint64_t words, const uint32_t *order,
                   const uint64_t *values, uint64_t updates, uint64_t from, uint64_t to)
{
    for (uint64_t set = from; set < to; set++) {
        uint64_t *window = windows[order[set]];
        const uint64_t *value = values + set * updates;
        for (uint64_t at = 0; at < updates; at++) {
            uint64_t index = (uint64_t)(((unsigned __int128)value[at] * words) >> 64);
            window[index] ^= value[at];
        }
    }
}

struct ball {
    _Alignas(64) _Atomic uint32_t there;
    _Alignas(64) _Atomic uint32_t back;
    uint64_t rounds;
    int core;
};

static void pin(int core)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* The futexes are shared ones, as processes need. */
static void give(_Atomic uint32_t *word)
{
    atomic_store_explicit(word, 1, memory_order_release);
    syscall(SYS_futex, word, FUTEX_WAKE, 1, 0, 0, 0);
}

static void take(_Atomic uint32_t *word)
{
    while (!atomic_exchange_explicit(word, 0, memory_order_acquire))
        syscall(SYS_futex, word, FUTEX_WAIT, 0, 0, 0, 0);
}

static void *other(void *argument)
{
    struct ball *ball = argument;
    pin(ball->core);
    for (uint64_t round = 0; round < ball->rounds; round++) {
        take(&ball->there);
        give(&ball->back);
    }
    return 0;
}

/* Hands over to a second thread and back, so many times, both on `core`. Returns 0, or an error
   number. */
int plain_ping_pong(uint64_t rounds, int core)
{
    struct ball ball = {.rounds = rounds, .core = core};
    pthread_t thread;
    int error = pthread_create(&thread, 0, other, &ball);
    if (error)
        return error;
    for (uint64_t round = 0; round < rounds; round++) {
        give(&ball.there);
        take(&ball.back);
    }
    return pthread_join(thread, 0);
}
