// A library that counts the allocations of a program: LD_PRELOAD=allocations.so ALLOCATIONS_FILE=… program. At exit it writes the
// number of calls to malloc, calloc, realloc, posix_memalign and aligned_alloc, and the total number of bytes that they requested.
// It works with glibc only.
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
static atomic_long bytes;

static void count(size_t size) {
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed);
}

void *malloc(size_t size) {
    count(size);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(number * size);
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    count(size);
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count(size);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    count(size);
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}

__attribute__((destructor)) static void write_count(void) {
    const char *path = getenv("ALLOCATIONS_FILE");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld %ld\n", atomic_load(&calls), atomic_load(&bytes));
    fclose(file);
}
