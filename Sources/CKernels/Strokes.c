#include "CKernels.h"

#include "Vectors.h"

// The numbers of a sample, which begin with x and y.
enum { SAMPLE = 4 };

typedef double doubles2 __attribute__((vector_size(16)));
typedef double doubles4 __attribute__((vector_size(32)));
typedef int32_t ints4 __attribute__((vector_size(16)));
typedef int64_t longs4 __attribute__((vector_size(32)));

#define SPLAT4(x) ((doubles4){x, x, x, x})

// Without its sign, the bit pattern of a number is an integer that grows with the magnitude, and those of infinity and NaN are
// larger than all others. Unlike sums of numbers, the compiler may combine such integers in any order, so several at a time.
PK_DISPATCH
int pk_are_within(const double *numbers, size_t count, double largest) {
    int64_t limit, differences = 0;
    memcpy(&limit, &largest, sizeof limit);
    for (size_t i = 0; i < count; i++) {
        int64_t bits;
        memcpy(&bits, numbers + i, sizeof bits);
        differences |= limit - (bits & INT64_MAX);
    }
    return differences >= 0;
}

// Returns the squares of the differences in x and y between a sample and the next one.
INLINE doubles2 squares_to_next(const double *sample) {
    doubles2 here, next;
    LOAD(here, sample);
    LOAD(next, sample + SAMPLE);
    next -= here;
    return next * next;
}

PK_DISPATCH
double pk_path_measure(const double *samples, size_t count, double *lengths, double *reached) {
    double total = 0;
    size_t i = 0;
    for (; i + 4 < count; i += 4) {
        const double *at = samples + SAMPLE * i;
        const doubles2 a = squares_to_next(at), b = squares_to_next(at + SAMPLE);
        const doubles2 c = squares_to_next(at + 2 * SAMPLE), d = squares_to_next(at + 3 * SAMPLE);
        const doubles4 ab = __builtin_shufflevector(a, b, 0, 1, 2, 3), cd = __builtin_shufflevector(c, d, 0, 1, 2, 3);
        const doubles4 four = __builtin_elementwise_sqrt(
            __builtin_shufflevector(ab, cd, 0, 2, 4, 6) + __builtin_shufflevector(ab, cd, 1, 3, 5, 7));
        STORE(lengths + i, four);
        for (size_t lane = 0; lane < 4; lane++) {
            reached[i + lane] = total;
            total += four[lane];
        }
    }
    for (; i + 1 < count; i++) {
        const doubles2 squares = squares_to_next(samples + SAMPLE * i);
        lengths[i] = sqrt(squares[0] + squares[1]);
        reached[i] = total;
        total += lengths[i];
    }
    lengths[i] = 0;
    for (; i < count + PK_PATH_MARGIN; i++) reached[i] = INFINITY;
    return total;
}

// Stores the number of every sample but the first at the number of the first point beyond the sample. If several samples have the
// same number there, the last one remains.
//
// A quotient of lengths is rounded, so it may be on the wrong side of a whole number. The products decide, because the positions
// of the points are computed from them.
INLINE void find_points(const double *reached, size_t count, double step, size_t points, size_t *passed) {
    memset(passed, 0, (points + PK_POINTS_MARGIN) * sizeof(*passed));
    const doubles4 most = SPLAT4((double)(points - 1));
    for (size_t i = 1; i < count; i += 4) {
        doubles4 place;
        LOAD(place, reached + i);
        doubles4 number = place / step;
        // False for 0/0, too.
        const longs4 is_less = number < most;
        number = (doubles4)(((longs4)number & is_less) | ((longs4)most & ~is_less));
        const ints4 whole = __builtin_convertvector(number, ints4);
        number = __builtin_convertvector(whole, doubles4);
        const longs4 passes = (step * number <= place) + (step * (number + 1) <= place);
        const ints4 first = whole - __builtin_convertvector(passes, ints4);
        for (size_t lane = 0; lane < 4; lane++) passed[first[lane]] = i + lane;
    }
}

PK_DISPATCH
void pk_path_points(
    const double *samples, const double *lengths, const double *reached, size_t count, double step, size_t *passed,
    double *output, size_t points) {
    find_points(reached, count, step, points, passed);
    memcpy(output, samples, SAMPLE * sizeof(double));
    size_t at = passed[0];
    for (size_t k = 1; k + 1 < points; k++) {
        at = passed[k] > at ? passed[k] : at;
        doubles4 point, next;
        LOAD(point, samples + SAMPLE * at);
        if (lengths[at] > 0) {
            LOAD(next, samples + SAMPLE * (at + 1));
            double share = (step * (double)(int32_t)k - reached[at]) / lengths[at];
            share = share <= 0 ? 0 : share;
            share = share > 1 ? 1 : share;
            point += share * (next - point);
        }
        STORE(output + SAMPLE * k, point);
    }
    if (points > 1) memcpy(output + SAMPLE * (points - 1), samples + SAMPLE * (count - 1), SAMPLE * sizeof(double));
}
