// Counts what is allocated, to be preloaded: LD_PRELOAD=allocations.so ALLOCATIONS_FILE=… program. At exit it writes the
// number of calls to malloc, calloc, realloc, posix_memalign and aligned_alloc. For glibc.
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_long calls;

void *malloc(size_t size) {
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}

__attribute__((destructor)) static void write_count(void) {
    long count = atomic_load(&calls);
    const char *path = getenv("ALLOCATIONS_FILE");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", count);
    fclose(file);
}
