#include "CKernels.h"

#include <math.h>
#include <string.h>

// The same bits on every machine: a fused multiply-add would round once where the plain variant rounds twice.
#pragma STDC FP_CONTRACT OFF

// The loader chooses between variants by an indirect function, which needs ELF.
// A sanitizer is not ready yet when such functions are resolved.
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define PK_DISPATCH
#elif defined(__x86_64__) && defined(__linux__)
#define PK_DISPATCH __attribute__((target_clones("default", "avx2")))
#else
#define PK_DISPATCH
#endif

typedef float floats4 __attribute__((vector_size(16)));
typedef double doubles4 __attribute__((vector_size(32)));
typedef float floats8 __attribute__((vector_size(32)));
typedef double doubles8 __attribute__((vector_size(64)));

// Loads and stores through memcpy: the arrays come from Swift and are aligned to 16 bytes only.
#define LOAD(vector, from) memcpy(&(vector), (from), sizeof(vector))
#define STORE(to, vector) memcpy((to), &(vector), sizeof(vector))

#define SUM8(v) ((((v)[0] + (v)[4]) + ((v)[2] + (v)[6])) + (((v)[1] + (v)[5]) + ((v)[3] + (v)[7])))

#define INLINE static inline __attribute__((always_inline))

// The two halves that a step of summing across vectors adds, of vectors p and q.
#define NEIGHBOURS(p, q) \
    (__builtin_shufflevector(p, q, 0, 8, 2, 10, 4, 12, 6, 14) + __builtin_shufflevector(p, q, 1, 9, 3, 11, 5, 13, 7, 15))
#define PAIRS(p, q) \
    (__builtin_shufflevector(p, q, 0, 1, 8, 9, 4, 5, 12, 13) + __builtin_shufflevector(p, q, 2, 3, 10, 11, 6, 7, 14, 15))
#define HALVES(p, q) \
    (__builtin_shufflevector(p, q, 0, 1, 2, 3, 8, 9, 10, 11) + __builtin_shufflevector(p, q, 4, 5, 6, 7, 12, 13, 14, 15))

// The sums of eight vectors as one vector: a transposition and an addition at each of three steps.
#define SUMS(v) \
    HALVES( \
        PAIRS(NEIGHBOURS((v)[0], (v)[1]), NEIGHBOURS((v)[2], (v)[3])), \
        PAIRS(NEIGHBOURS((v)[4], (v)[5]), NEIGHBOURS((v)[6], (v)[7])))

// Eight templates at a time, each read from its beginning to its end. Fusing is allowed here: see the header.
INLINE void protractor_scores(
    const float *templates, size_t count, size_t padded, const float *query, float cos_tolerance,
    float sin_tolerance, float *scores) {
#pragma clang fp contract(fast)
    for (size_t first = 0; first < count; first += 8) {
        floats8 along[8], across[8];
        for (int lane = 0; lane < 8; lane++) {
            const float *other = templates + (first + lane) * 2 * padded;
            floats8 xx = {0}, yy = {0}, xy = {0}, yx = {0};
            for (size_t i = 0; i < padded; i += 8) {
                floats8 x, y, ox, oy;
                LOAD(x, query + i);
                LOAD(y, query + padded + i);
                LOAD(ox, other + i);
                LOAD(oy, other + padded + i);
                xx += x * ox;
                yy += y * oy;
                xy += x * oy;
                yx += y * ox;
            }
            along[lane] = xx + yy;
            across[lane] = xy - yx;
        }
        const floats8 a = SUMS(along), b = SUMS(across);
        const floats8 free_fit = __builtin_elementwise_sqrt(a * a + b * b);
        const floats8 clamped_fit = a * cos_tolerance + __builtin_elementwise_abs(b) * sin_tolerance;
        floats8 result;
        for (int lane = 0; lane < 8; lane++)
            result[lane] = a[lane] >= free_fit[lane] * cos_tolerance ? free_fit[lane] : clamped_fit[lane];
        STORE(scores + first, result);
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void protractor_scores_avx2(
    const float *templates, size_t count, size_t padded, const float *query, float cos_tolerance,
    float sin_tolerance, float *scores) {
    protractor_scores(templates, count, padded, query, cos_tolerance, sin_tolerance, scores);
}
#endif

void pk_protractor_scores(
    const float *templates, size_t count, size_t padded, const float *query, float cos_tolerance,
    float sin_tolerance, float *scores) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return protractor_scores_avx2(templates, count, padded, query, cos_tolerance, sin_tolerance, scores);
#endif
    protractor_scores(templates, count, padded, query, cos_tolerance, sin_tolerance, scores);
}

PK_DISPATCH
double pk_split(const double *values, size_t points, size_t padded, double *planes, float *single) {
    doubles4 squares = {0};
    size_t i = 0;
    for (; i + 4 <= points; i += 4) {
        doubles4 low, high;
        LOAD(low, values + 2 * i);
        LOAD(high, values + 2 * i + 4);
        const doubles4 x = __builtin_shufflevector(low, high, 0, 2, 4, 6);
        const doubles4 y = __builtin_shufflevector(low, high, 1, 3, 5, 7);
        const floats4 single_x = __builtin_convertvector(x, floats4), single_y = __builtin_convertvector(y, floats4);
        STORE(planes + i, x);
        STORE(planes + padded + i, y);
        STORE(single + i, single_x);
        STORE(single + padded + i, single_y);
        squares += x * x + y * y;
    }
    double rest = 0;
    for (; i < points; i++) {
        const double x = values[2 * i], y = values[2 * i + 1];
        planes[i] = x;
        planes[padded + i] = y;
        single[i] = (float)x;
        single[padded + i] = (float)y;
        rest += x * x + y * y;
    }
    return ((squares[0] + squares[2]) + (squares[1] + squares[3])) + rest;
}

PK_DISPATCH
double pk_protractor_exact(
    const double *query, const double *other, size_t padded, double cos_tolerance, double sin_tolerance) {
    doubles8 a = {0}, b = {0};
    for (size_t i = 0; i < padded; i += 8) {
        doubles8 x, y, ox, oy;
        LOAD(x, query + i);
        LOAD(y, query + padded + i);
        LOAD(ox, other + i);
        LOAD(oy, other + padded + i);
        a += x * ox + y * oy;
        b += x * oy - y * ox;
    }
    const double along = SUM8(a), across = SUM8(b);
    const double fit = sqrt(along * along + across * across);
    double cosine = 1, sine = 0;
    if (along >= fit * cos_tolerance) {
        // The best angle lies within the tolerance. Vectors at right angles to each other show none: any will do.
        if (fit > 0) {
            cosine = along / fit;
            sine = across / fit;
        }
    } else {
        cosine = cos_tolerance;
        sine = across < 0 ? -sin_tolerance : sin_tolerance;
    }
    // Far apart, the distance follows from the angle without loss. Near each other it would lose half of its digits: the
    // difference of the vectors keeps them.
    const double similarity = along * cosine + across * sine;
    if (similarity < 0.9) return 2 - 2 * similarity;
    doubles8 squares = {0};
    for (size_t i = 0; i < padded; i += 8) {
        doubles8 x, y, ox, oy;
        LOAD(x, query + i);
        LOAD(y, query + padded + i);
        LOAD(ox, other + i);
        LOAD(oy, other + padded + i);
        const doubles8 dx = x * cosine - y * sine - ox;
        const doubles8 dy = x * sine + y * cosine - oy;
        squares += dx * dx + dy * dy;
    }
    return SUM8(squares);
}

PK_DISPATCH
double pk_path_distance(
    const double *query, const double *other, size_t padded, double cosine, double sine) {
    doubles8 sum = {0};
    for (size_t i = 0; i < padded; i += 8) {
        doubles8 x, y, ox, oy;
        LOAD(x, query + i);
        LOAD(y, query + padded + i);
        LOAD(ox, other + i);
        LOAD(oy, other + padded + i);
        const doubles8 dx = x * cosine - y * sine - ox;
        const doubles8 dy = x * sine + y * cosine - oy;
        sum += __builtin_elementwise_sqrt(dx * dx + dy * dy);
    }
    return SUM8(sum);
}

float pk_category_best(const float *scores, const size_t *starts, size_t categories, float *best) {
    float first = -INFINITY, second = -INFINITY;
    size_t begin = starts[0];
    for (size_t category = 0; category < categories; category++) {
        const size_t end = starts[category + 1];
        float largest = scores[begin];
        for (size_t i = begin + 1; i < end; i++) largest = scores[i] > largest ? scores[i] : largest;
        best[category] = largest;
        const float lower = largest < first ? largest : first;
        first = largest > first ? largest : first;
        second = lower > second ? lower : second;
        begin = end;
    }
    return second;
}
