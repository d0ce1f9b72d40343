// Preloaded by `scripts/check-deep.sh thread`. Starts C11 threads with `pthread_create`: the thread sanitizer knows only threads
// that were started this way, and crashes in all others. librdkafka starts its threads with `thrd_create`.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>

struct start {
    thrd_start_t function;
    void *argument;
};

static void *run(void *memory) {
    struct start start = *(struct start *)memory;
    free(memory);
    return (void *)(intptr_t)start.function(start.argument);
}

int thrd_create(thrd_t *thread, thrd_start_t function, void *argument) {
    struct start *start = malloc(sizeof *start);
    if (!start) return thrd_nomem;
    *start = (struct start){function, argument};
    if (pthread_create(thread, NULL, run, start) == 0) return thrd_success;
    free(start);
    return thrd_error;
}
