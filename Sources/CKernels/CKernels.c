#include "CKernels.h"

#include "Vectors.h"

// The sum of the odd lanes minus the sum of the even lanes.
#define DIFFERENCE8(v) ((((v)[1] + (v)[5]) + ((v)[3] + (v)[7])) - (((v)[0] + (v)[4]) + ((v)[2] + (v)[6])))

// Swaps x and y of every point.
#define SWAPPED(v) __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6)

// Compares sixteen templates at a time, one per lane, so no sum runs across a vector. With AVX2, each of the four sums takes two
// registers, and no sum depends on another. Fused multiply-add is allowed here; see the header.
INLINE void protractor_scores(
    const float *templates, size_t count, size_t points, const float *query, float cos_tolerance,
    float sin_tolerance, float *scores) {
#pragma clang fp contract(fast)
    for (size_t first = 0; first < count; first += PK_LANES) {
        floats16 xx = {0}, yy = {0}, xy = {0}, yx = {0};
        for (size_t i = 0; i < points; i++, templates += 2 * PK_LANES) {
            floats16 x, y;
            LOAD(x, templates);
            LOAD(y, templates + PK_LANES);
            xx += query[2 * i] * x;
            xy += query[2 * i] * y;
            yy += query[2 * i + 1] * y;
            yx += query[2 * i + 1] * x;
        }
        const floats16 a = xx + yy, b = xy - yx;
        const floats16 free_fit = __builtin_elementwise_sqrt(a * a + b * b);
        const floats16 clamped_fit = a * cos_tolerance + __builtin_elementwise_abs(b) * sin_tolerance;
        const ints16 is_free = a >= free_fit * cos_tolerance;
        const floats16 result = (floats16)(((ints16)free_fit & is_free) | ((ints16)clamped_fit & ~is_free));
        STORE(scores + first, result);
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void protractor_scores_avx2(
    const float *templates, size_t count, size_t points, const float *query, float cos_tolerance,
    float sin_tolerance, float *scores) {
    protractor_scores(templates, count, points, query, cos_tolerance, sin_tolerance, scores);
}
#endif

void pk_protractor_scores(
    const float *templates, size_t count, size_t points, const float *query, float cos_tolerance,
    float sin_tolerance, float *scores) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return protractor_scores_avx2(templates, count, points, query, cos_tolerance, sin_tolerance, scores);
#endif
    protractor_scores(templates, count, points, query, cos_tolerance, sin_tolerance, scores);
}

PK_DISPATCH
void pk_squared_distances(
    const double *templates, size_t count, size_t dimension, const double *query, double *distances) {
    for (size_t t = 0; t < count; t++, templates += dimension) {
        doubles8 sums = {0};
        size_t i = 0;
        for (; i + 8 <= dimension; i += 8) {
            doubles8 a, b;
            LOAD(a, templates + i);
            LOAD(b, query + i);
            a -= b;
            sums += a * a;
        }
        double rest = 0;
        for (; i < dimension; i++) rest += (templates[i] - query[i]) * (templates[i] - query[i]);
        distances[t] = SUM8(sums) + rest;
    }
}

PK_DISPATCH
double pk_single(const double *values, size_t count, float *single) {
    doubles8 squares[2] = {{0}, {0}};
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        for (int half = 0; half < 2; half++) {
            doubles8 numbers;
            LOAD(numbers, values + i + 8 * half);
            const floats8 converted = __builtin_convertvector(numbers, floats8);
            STORE(single + i + 8 * half, converted);
            squares[half] += numbers * numbers;
        }
    }
    double rest = 0;
    for (; i < count; i++) {
        single[i] = (float)values[i];
        rest += values[i] * values[i];
    }
    squares[0] += squares[1];
    return SUM8(squares[0]) + rest;
}

// Loads the first `left` of eight numbers and sets the others to zero.
#define LOAD_PART(vector, from, left) \
    do { \
        (vector) = (doubles8){0}; \
        memcpy(&(vector), (from), (left) * sizeof(double)); \
    } while (0)

// Returns the squared distance from the sums of the products of a query and a template: those of equal coordinates, and those of
// different ones.
INLINE double exact_square(
    const double *query, const double *other, size_t count, double cos_tolerance, double sin_tolerance, double along,
    double across) {
    const double fit = sqrt(along * along + across * across);
    double cosine = 1, sine = 0;
    if (along >= fit * cos_tolerance) {
        // The best angle is within the tolerance. If the fit is 0, all angles fit equally well, and the angle stays 0.
        if (fit > 0) {
            cosine = along / fit;
            sine = across / fit;
        }
    } else {
        cosine = cos_tolerance;
        sine = across < 0 ? -sin_tolerance : sin_tolerance;
    }
    // For distant vectors, the distance follows from the similarity without loss of precision. For near vectors, this formula would
    // lose half of the digits, so the difference of the vectors is used instead.
    const double similarity = along * cosine + across * sine;
    if (similarity < 0.9) return 2 - 2 * similarity;
    const doubles8 sines = {-sine, sine, -sine, sine, -sine, sine, -sine, sine};
    doubles8 squares = {0}, v, w;
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        LOAD(v, query + i);
        LOAD(w, other + i);
        const doubles8 difference = v * cosine + SWAPPED(v) * sines - w;
        squares += difference * difference;
    }
    if (i < count) {
        LOAD_PART(v, query + i, count - i);
        LOAD_PART(w, other + i, count - i);
        const doubles8 difference = v * cosine + SWAPPED(v) * sines - w;
        squares += difference * difference;
    }
    return SUM8(squares);
}

PK_DISPATCH
size_t pk_protractor_exact(
    const double *query, const double *templates, size_t dimension, double cos_tolerance, double sin_tolerance,
    pk_candidate *candidates, size_t count) {
    // Two templates at a time, because the sums of one wait for the previous ones. The last template may have no partner.
    for (size_t k = 0; k < count; k += 2) {
        pk_candidate *const first = candidates + k, *const second = k + 1 < count ? first + 1 : first;
        const double *const one = templates + first->index * dimension, *const two = templates + second->index * dimension;
        doubles8 a1 = {0}, b1 = {0}, a2 = {0}, b2 = {0}, v, w1, w2;
        size_t i = 0;
        for (; i + 8 <= dimension; i += 8) {
            LOAD(v, query + i);
            LOAD(w1, one + i);
            LOAD(w2, two + i);
            a1 += v * w1;
            b1 += SWAPPED(v) * w1;
            a2 += v * w2;
            b2 += SWAPPED(v) * w2;
        }
        if (i < dimension) {
            LOAD_PART(v, query + i, dimension - i);
            LOAD_PART(w1, one + i, dimension - i);
            LOAD_PART(w2, two + i, dimension - i);
            a1 += v * w1;
            b1 += SWAPPED(v) * w1;
            a2 += v * w2;
            b2 += SWAPPED(v) * w2;
        }
        first->square =
            exact_square(query, one, dimension, cos_tolerance, sin_tolerance, SUM8(a1), DIFFERENCE8(b1));
        if (second != first) {
            second->square =
                exact_square(query, two, dimension, cos_tolerance, sin_tolerance, SUM8(a2), DIFFERENCE8(b2));
        }
    }
    // Keep the nearest candidate of every category.
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        if (kept == 0 || candidates[kept - 1].category != candidates[k].category) {
            candidates[kept++] = candidates[k];
        } else if (candidates[k].square < candidates[kept - 1].square) {
            candidates[kept - 1] = candidates[k];
        }
    }
    return kept;
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

// Returns the largest of `count` numbers. There must be at least one.
INLINE float largest_of(const float *numbers, size_t count) {
    float largest = numbers[0];
    size_t i = 0;
    if (count >= 8) {
        floats8 lanes, next;
        LOAD(lanes, numbers);
        for (i = 8; i + 8 <= count; i += 8) {
            LOAD(next, numbers + i);
            const ints8 is_larger = next > lanes;
            lanes = (floats8)(((ints8)next & is_larger) | ((ints8)lanes & ~is_larger));
        }
        for (int lane = 0; lane < 8; lane++) largest = lanes[lane] > largest ? lanes[lane] : largest;
    }
    for (; i < count; i++) largest = numbers[i] > largest ? numbers[i] : largest;
    return largest;
}

size_t pk_protractor_candidates(
    const float *scores, const size_t *starts, size_t categories, float lowest, float slack, float *best,
    pk_candidate *candidates) {
    float first = -INFINITY, second = -INFINITY;
    for (size_t category = 0; category < categories; category++) {
        const size_t begin = starts[category], count = starts[category + 1] - begin;
        const float largest = count == 1 ? scores[begin] : largest_of(scores + begin, count);
        best[category] = largest;
        const float lower = largest < first ? largest : first;
        first = largest > first ? largest : first;
        second = lower > second ? lower : second;
    }
    const float cutoff = (second < lowest ? second : lowest) - slack;
    size_t count = 0;
    for (size_t category = 0; category < categories; category++) {
        if (best[category] < cutoff) continue;
        for (size_t i = starts[category]; i < starts[category + 1]; i++) {
            if (scores[i] < best[category] - slack) continue;
            candidates[count].category = (uint32_t)category;
            candidates[count].index = (uint32_t)i;
            count++;
        }
    }
    return count;
}
