#include "CKernels.h"

#include <math.h>
#include <string.h>

// The same bits on every machine: a fused multiply-add would round once where the plain variant rounds twice.
#pragma STDC FP_CONTRACT OFF

// The loader chooses between variants by an indirect function, which needs ELF.
#if defined(__x86_64__) && defined(__linux__)
#define PK_DISPATCH __attribute__((target_clones("default", "avx2")))
#else
#define PK_DISPATCH
#endif

typedef float floats16 __attribute__((vector_size(64)));
typedef double doubles8 __attribute__((vector_size(64)));

// Loads and stores through memcpy: the arrays come from Swift and are aligned to 16 bytes only.
#define LOAD(vector, from) memcpy(&(vector), (from), sizeof(vector))
#define STORE(to, vector) memcpy((to), &(vector), sizeof(vector))

#define SUM8(v) ((((v)[0] + (v)[4]) + ((v)[2] + (v)[6])) + (((v)[1] + (v)[5]) + ((v)[3] + (v)[7])))

PK_DISPATCH
void pk_protractor_scores(
    const float *templates, size_t blocks, size_t points, const float *query, float cos_tolerance,
    float sin_tolerance, float *scores) {
    for (size_t block = 0; block < blocks; block++) {
        floats16 xx = {0}, yy = {0}, xy = {0}, yx = {0};
        const float *rows = templates + block * points * 32;
        for (size_t point = 0; point < points; point++) {
            floats16 x, y;
            LOAD(x, rows + 32 * point);
            LOAD(y, rows + 32 * point + 16);
            const float qx = query[2 * point], qy = query[2 * point + 1];
            xx += qx * x;
            yy += qy * y;
            xy += qx * y;
            yx += qy * x;
        }
        const floats16 a = xx + yy, b = xy - yx;
        const floats16 free_fit = __builtin_elementwise_sqrt(a * a + b * b);
        const floats16 clamped_fit = a * cos_tolerance + __builtin_elementwise_abs(b) * sin_tolerance;
        floats16 result;
        for (int lane = 0; lane < 16; lane++)
            result[lane] = a[lane] >= free_fit[lane] * cos_tolerance ? free_fit[lane] : clamped_fit[lane];
        STORE(scores + 16 * block, result);
    }
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

void pk_category_best(const float *scores, const size_t *starts, size_t categories, float *best) {
    for (size_t category = 0; category < categories; category++) {
        float largest = scores[starts[category]];
        for (size_t i = starts[category] + 1; i < starts[category + 1]; i++)
            if (scores[i] > largest) largest = scores[i];
        best[category] = largest;
    }
}
