// Preloaded by `scripts/check-deep.sh thread`. Starts, joins and detaches C11 threads with the functions for POSIX threads: the
// thread sanitizer knows only these, and crashes in a thread that was started otherwise, or joined otherwise. librdkafka uses the
// functions of C11.
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

int thrd_join(thrd_t thread, int *result) {
    void *value;
    if (pthread_join(thread, &value) != 0) return thrd_error;
    if (result) *result = (int)(intptr_t)value;
    return thrd_success;
}

int thrd_detach(thrd_t thread) { return pthread_detach(thread) == 0 ? thrd_success : thrd_error; }
