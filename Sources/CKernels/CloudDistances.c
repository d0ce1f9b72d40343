#include "Clouds.h"

// The weights in the cost of tangents when the drawing direction counts: 0.2·(1 − c²) + 0.1·(1 − c), where c is the cosine between
// two tangents. The features contain tangents multiplied by the fourth root of `TANGENT_WEIGHT`. A product of two tangents is
// therefore multiplied by its square root, 0.5477, and a product of four by `TANGENT_WEIGHT`.
static const float ACROSS = (float)(0.2 / 0.3), ALONG = (float)(0.1 / 2 / 0.5477225575051661);

// Computes the costs of one point of `a` with all points of `b`. The costs are the same to the bit if `a` and `b` are exchanged:
// each depends only on squares of differences. If neither gesture has dots, `has_dots` may be 0.
INLINE void costs_of(
    const float *a, size_t i, const float *b, floats16 costs[2], const int is_directed, const int has_dots) {
    for (int half = 0; half < 2; half++) {
        floats16 x, y, tangent_x, tangent_y;
        LOAD(x, b + X + 16 * half);
        LOAD(y, b + Y + 16 * half);
        LOAD(tangent_x, b + TANGENT_X + 16 * half);
        LOAD(tangent_y, b + TANGENT_Y + 16 * half);
        x -= a[X + i];
        y -= a[Y + i];
        // The sine between the tangents. Its square is 1 − cos², and exactly 0 for equal tangents.
        const floats16 across = tangent_x * a[TANGENT_Y + i] - tangent_y * a[TANGENT_X + i];
        if (is_directed) {
            tangent_x -= a[TANGENT_X + i];
            tangent_y -= a[TANGENT_Y + i];
            const floats16 turn = tangent_x * tangent_x + tangent_y * tangent_y;
            costs[half] = (x * x + y * y) + (across * across * ACROSS + turn * ALONG);
        } else if (has_dots) {
            floats16 dot;
            LOAD(dot, b + DOT + 16 * half);
            dot -= a[DOT + i];
            costs[half] = (x * x + y * y) + (dot * dot + across * across);
        } else {
            costs[half] = (x * x + y * y) + across * across;
        }
    }
}

// Returns the smallest number of each of sixteen rows. Every step halves the number of vectors and of the lanes of each row.
INLINE void smallest_of_rows(floats16 rows[16], floats16 *smallest) {
#define LIST(...) __VA_ARGS__
#define FOLD(count, low, high) \
    for (int r = 0; r < (count); r++) { \
        const floats16 left = __builtin_shufflevector(rows[r], rows[r + (count)], LIST low); \
        const floats16 right = __builtin_shufflevector(rows[r], rows[r + (count)], LIST high); \
        rows[r] = SMALLER16(left, right); \
    }
    FOLD(8, (0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
         (8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31))
    FOLD(4, (0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27),
         (4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31))
    FOLD(2, (0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29),
         (2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31))
    FOLD(1, (0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30),
         (1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31))
    *smallest = rows[0];
}

// Returns the lanes of a vector that are equal to a number, one bit per lane.
INLINE uint32_t lanes_equal(const floats16 *vector, float number) {
    const bools16 are_equal = __builtin_convertvector(*vector == SPLAT16(number), bools16);
    uint16_t bits;
    memcpy(&bits, &are_equal, sizeof bits);
    return bits;
}

// The costs of the cheapest partner of every point of `a` and of every point of `b`, and the points that were chosen as partners,
// one bit per point. Of several cheapest partners, the first is chosen.
struct partners {
    floats16 of_a[2], of_b[2];
    uint32_t chosen_a, chosen_b;
};

INLINE void find_partners(
    const float *a, const float *b, struct partners *found, const int is_directed, const int has_dots) {
    floats16 costs[CLOUD][2], smaller[CLOUD];
    ints16 partners[2] = {{0}, {0}};
    floats16 least[2] = {SPLAT16(INFINITY), SPLAT16(INFINITY)};
    for (int i = 0; i < CLOUD; i++) {
        costs_of(a, i, b, costs[i], is_directed, has_dots);
        for (int half = 0; half < 2; half++) {
            const ints16 is_less = costs[i][half] < least[half];
            least[half] = CHOOSE16(is_less, costs[i][half], least[half]);
            partners[half] = (partners[half] & ~is_less) | (is_less & i);
        }
        smaller[i] = SMALLER16(costs[i][0], costs[i][1]);
    }
    const ints16 one = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    found->chosen_a = (uint32_t)__builtin_reduce_or((one << partners[0]) | (one << partners[1]));
    found->chosen_b = 0;
    for (int half = 0; half < 2; half++) {
        found->of_b[half] = least[half];
        smallest_of_rows(smaller + 16 * half, &found->of_a[half]);
        float smallest[16];
        STORE(smallest, found->of_a[half]);
        for (int i = 0; i < 16; i++) {
            const floats16 *row = costs[16 * half + i];
            const uint32_t cheapest = lanes_equal(row, smallest[i]) | lanes_equal(row + 1, smallest[i]) << 16;
            found->chosen_b |= cheapest & -cheapest;
        }
    }
}

// Returns the sum of all costs, plus the costs of the other gesture's points that were not chosen. All costs are square roots of
// those in `partners`.
INLINE float sum_of_roots(const floats16 all[2], const floats16 others[2], uint32_t chosen) {
    const ints16 lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    floats16 sum = all[0] + all[1];
    for (int half = 0; half < 2; half++) {
        const ints16 is_chosen = ((((int)chosen >> (lanes + 16 * half)) & 1) != 0);
        sum += (floats16)((ints16)others[half] & ~is_chosen);
    }
    return SUM16(sum);
}

INLINE float cloud_distance(const float *a, const float *b, const int is_directed, const int has_dots) {
    struct partners found;
    find_partners(a, b, &found, is_directed, has_dots);
    for (int half = 0; half < 2; half++) {
        found.of_a[half] = __builtin_elementwise_sqrt(found.of_a[half]);
        found.of_b[half] = __builtin_elementwise_sqrt(found.of_b[half]);
    }
    const float there = sum_of_roots(found.of_a, found.of_b, found.chosen_b);
    const float back = sum_of_roots(found.of_b, found.of_a, found.chosen_a);
    return (there < back ? there : back) / CLOUD;
}

// Returns whether any point of a gesture is a dot.
INLINE int has_dots(const float *features) {
    ints16 low, high;
    LOAD(low, features + DOT);
    LOAD(high, features + DOT + 16);
    return __builtin_reduce_or(low | high) != 0;
}

// Returns half the squared distance of two unit vectors: 1 − their dot product, and exactly 0 for equal vectors.
INLINE float histogram_distance(const float *a, const float *b) {
    floats16 sums = {0};
    for (int i = HISTOGRAM; i < PK_CLOUD_FEATURES; i += 16) {
        floats16 x, y;
        LOAD(x, a + i);
        LOAD(y, b + i);
        x -= y;
        sums += x * x;
    }
    return SUM16(sums) / 2;
}

// Returns whether any step of a path is too short for a direction. The planes of the path begin at `planes`.
INLINE int has_short_steps(const float *planes) {
    ints8 any = {0};
    for (int i = 0; i < PLANE; i += 8) {
        ints8 next;
        LOAD(next, planes + 2 * PLANE + i);
        any |= next;
    }
    return __builtin_reduce_or(any) != 0;
}

#define JOINED(a, b) __builtin_shufflevector(a, b, LOW_HALF, HIGH_HALF)

// Computes the costs per step of dynamic time warping within ±4 steps, for two templates in the two halves of every vector. Works
// along the diagonals of the band. Diagonals with an even sum of indices have five cells, the others four. If no path has short
// steps, their plane may be left out.
INLINE void warp_distances(
    const float *reversed, const float *first, const float *second, float distances[2], const int has_short) {
    const float far = 1e30f;
    const floats16 outside[2] = {{0, 0, 0, 0, 0, far, far, far, 0, 0, 0, 0, 0, far, far, far},
                                 {0, 0, 0, 0, far, far, far, far, 0, 0, 0, 0, far, far, far, far}};
    floats16 before = {far, far, 0, far, far, far, far, far, far, far, 0, far, far, far, far, far};
    const floats16 beyond = SPLAT16(far);
    floats16 last = beyond;
    for (int k = 0; k < 2 * STEPS - 1; k++) {
        const int odd = k & 1, q = k / 2;
        floats16 cost = outside[odd];
        for (int plane = 0; plane < 5; plane++) {
            if (plane == 2 && !has_short) continue;
            const size_t at = plane * PLANE + MARGIN - 2 + q + odd;
            floats8 a, b, c;
            LOAD(a, reversed + plane * PLANE + MARGIN + STEPS - 3 - q);
            LOAD(b, first + at);
            LOAD(c, second + at);
            const floats16 difference = JOINED(a, a) - JOINED(b, c);
            cost += difference * difference;
        }
        const floats16 beside =
            odd ? __builtin_shufflevector(last, beyond, 1, 2, 3, 4, 5, 6, 7, 16, 9, 10, 11, 12, 13, 14, 15, 16)
                : __builtin_shufflevector(last, beyond, 16, 0, 1, 2, 3, 4, 5, 6, 16, 8, 9, 10, 11, 12, 13, 14);
        const floats16 nearer = SMALLER16(before, last);
        const floats16 here = cost + SMALLER16(beside, nearer);
        before = last;
        last = here;
    }
    distances[0] = last[2] / STEPS;
    distances[1] = last[10] / STEPS;
}

PK_DISPATCH
void pk_cloud_shapes(
    const float *query, const float *templates, const uint32_t *which, size_t count, float *distances) {
    const int query_has_dots = has_dots(query);
    for (size_t i = 0; i < count; i++) {
        const float *other = templates + which[i] * PK_CLOUD_FEATURES;
        const float cloud = query_has_dots || has_dots(other) ? cloud_distance(query, other, 0, 1)
                                                              : cloud_distance(query, other, 0, 0);
        const float histogram = histogram_distance(query, other);
        distances[i] = (3 * cloud / 0.4545f + histogram / 0.547f) / 4;
    }
}

PK_DISPATCH_WIDE
void pk_cloud_drawn(const float *query, const float *templates, size_t count, float *distances) {
    for (size_t i = 0; i < count; i++)
        distances[i] = cloud_distance(query, templates + i * PK_CLOUD_FEATURES, 1, 0) / 0.583f;
}

PK_DISPATCH
void pk_cloud_warps(
    const float *reversed, const float *templates, const uint32_t *which, size_t count, float *distances) {
    const int is_short = has_short_steps(reversed);
    for (size_t i = 0; i < count; i += 2) {
        const size_t next = i + 1 < count ? i + 1 : i;
        const float *first = templates + which[i] * PK_CLOUD_FEATURES + SEQUENCE;
        const float *second = templates + which[next] * PK_CLOUD_FEATURES + SEQUENCE;
        float costs[2];
        if (is_short || has_short_steps(first) || has_short_steps(second))
            warp_distances(reversed, first, second, costs, 1);
        else
            warp_distances(reversed, first, second, costs, 0);
        distances[i] = costs[0] / 1.169f;
        distances[next] = costs[next - i] / 1.169f;
    }
}

PK_DISPATCH_WIDE
void pk_cloud_histograms(
    const int8_t *query, float scale, const int8_t *templates, const float *scales, size_t count, float *distances) {
    for (size_t t = 0; t < count; t++, templates += PK_CLOUD_COMPACT) {
        int product = 0;
        for (int i = 0; i < PK_CLOUD_COMPACT; i++) product += query[i] * templates[i];
        distances[t] = 1 - (float)product * scale * scales[t];
    }
}
