// The vector types of the kernels, which the compiler maps to the vector registers of the processor.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

// No fused multiply-add: it rounds once where a multiplication and an addition round twice, so the results would differ between
// machines.
#pragma STDC FP_CONTRACT OFF

// The loader chooses between the variants with indirect functions, which require ELF. Sanitizers are excluded, because the loader
// resolves these functions before a sanitizer is initialized.
#if defined(__x86_64__) && defined(__linux__) && !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer)
#define PK_DISPATCH __attribute__((target_clones("default", "avx2")))
#define PK_DISPATCH_WIDE __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define PK_DISPATCH
#define PK_DISPATCH_WIDE
#endif

typedef float floats8 __attribute__((vector_size(32)));
typedef float floats16 __attribute__((vector_size(64)));
typedef int32_t ints8 __attribute__((vector_size(32)));
typedef int32_t ints16 __attribute__((vector_size(64)));
typedef _Bool bools16 __attribute__((ext_vector_type(16)));
typedef double doubles8 __attribute__((vector_size(64)));
typedef int64_t longs8 __attribute__((vector_size(64)));

// Loads and stores with memcpy, because Swift arrays are aligned to 16 bytes only.
#define LOAD(vector, from) memcpy(&(vector), (from), sizeof(vector))
#define STORE(to, vector) memcpy((to), &(vector), sizeof(vector))

#define SUM8(v) ((((v)[0] + (v)[4]) + ((v)[2] + (v)[6])) + (((v)[1] + (v)[5]) + ((v)[3] + (v)[7])))

#define LOW_HALF 0, 1, 2, 3, 4, 5, 6, 7
#define HIGH_HALF 8, 9, 10, 11, 12, 13, 14, 15

#define SUM16(v) \
    (SUM8(__builtin_shufflevector(v, v, LOW_HALF)) + SUM8(__builtin_shufflevector(v, v, HIGH_HALF)))

#define SPLAT16(x) ((floats16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x})

// Selects for each lane the first value where the mask is set, and the second value otherwise.
#define CHOOSE16(mask, first, second) ((floats16)(((ints16)(first) & (mask)) | ((ints16)(second) & ~(mask))))

// The smaller numbers of two vectors without NaN: one instruction. `__builtin_elementwise_min` takes three, because it must return
// the other number for NaN.
#define SMALLER16(a, b) CHOOSE16((a) < (b), a, b)

#define INLINE static inline __attribute__((always_inline))
