#include "CKernels.h"

#include <math.h>
#include <string.h>

#include "Vectors.h"

// CLOUD and FINE are the numbers of points from which the cloud and the histogram are computed. STEPS is the number of steps
// between the points of the cloud; these steps are the sequence of a gesture with one stroke.
enum { CLOUD = PK_CLOUD_POINTS, FINE = PK_CLOUD_FINE_POINTS, STEPS = PK_CLOUD_POINTS - 1 };

// The offsets of the parts of the features, and the layout of the planes of the sequence. Each plane has a margin on both sides, so
// that dynamic time warping never reads outside the plane.
enum {
    X = 0,
    Y = CLOUD,
    DOT = 2 * CLOUD,
    TANGENT_X = 3 * CLOUD,
    TANGENT_Y = 4 * CLOUD,
    SEQUENCE = 5 * CLOUD,
    MARGIN = 8,
    PLANE = CLOUD + 2 * MARGIN,
    HISTOGRAM = SEQUENCE + 5 * PLANE,
    BINS = 6,
    CELLS = 8,
};
_Static_assert(BINS * CELLS * CELLS == PK_CLOUD_COMPACT, "the header says how many entries there are");
_Static_assert(HISTOGRAM + BINS * CELLS * CELLS == PK_CLOUD_FEATURES, "the header says how many features there are");

// The weight of an undirected tangent relative to the position, and of a position on the path relative to its direction.
static const double TANGENT_WEIGHT = 0.3, PLACE_WEIGHT = 0.2;

// A distance shorter than this fraction of the gesture's larger side has no direction: rounding errors would determine it.
static const double SHORTEST = 1e-6;

// A gesture as evenly spaced points: x and y alternately, and the number of each point's stroke.
struct even {
    double cloud[2 * CLOUD], fine[2 * FINE];
    uint8_t cloud_strokes[CLOUD], fine_strokes[FINE];
    double strokes;
};
_Static_assert(sizeof(struct even) == PK_CLOUD_EVEN * sizeof(double), "the header says how many numbers they are");

// MARK: Points

// The samples of a gesture, translated and scaled so that the larger side of their box is 1.
struct view {
    const double *samples;
    size_t stride;
    double x, y, scale;
};

INLINE double place_x(const struct view *view, size_t i) {
    return (view->samples[i * view->stride] - view->x) * view->scale;
}

INLINE double place_y(const struct view *view, size_t i) {
    return (view->samples[i * view->stride + 1] - view->y) * view->scale;
}

// Returns the distance from sample i to the next one.
static double segment_length(const struct view *view, size_t i) {
    const double x = place_x(view, i + 1) - place_x(view, i), y = place_y(view, i + 1) - place_y(view, i);
    return sqrt(x * x + y * y);
}

static double path_length(const struct view *view, size_t begin, size_t end) {
    double sum = 0;
    for (size_t i = begin; i + 1 < end; i++) sum += segment_length(view, i);
    return sum;
}

// Distributes `count` points, at least two, evenly along the samples from `begin` up to, but not including, `end`. The first and
// the last point coincide with the first and the last of these samples. `length` is the length of the path.
static void space_evenly(
    const struct view *view, size_t begin, size_t end, double length, size_t count, double *points) {
    size_t at = begin;
    double before = 0, here = at + 1 < end ? segment_length(view, at) : 0;
    for (size_t k = 0; k < count; k++) {
        const double target = length * (double)k / (double)(count - 1);
        while (at + 2 < end && before + here < target) {
            before += here;
            here = segment_length(view, ++at);
        }
        double share = here > 0 ? (target - before) / here : 0;
        share = share < 0 ? 0 : share > 1 ? 1 : share;
        const size_t next = at + 1 < end ? at + 1 : at;
        const double x = place_x(view, at), y = place_y(view, at);
        points[2 * k] = x + share * (place_x(view, next) - x);
        points[2 * k + 1] = y + share * (place_y(view, next) - y);
    }
    points[2 * count - 2] = place_x(view, end - 1);
    points[2 * count - 1] = place_y(view, end - 1);
}

// Distributes `count` points among the strokes: two for each stroke, and the rest by length, largest remainder first. If there are
// more strokes than pairs of points, joins neighboring strokes. Writes the points, and the number of each point's stroke.
static void distribute(
    const struct view *view, const size_t *ends, size_t strokes, size_t count, double *points, uint8_t *numbers) {
    double lengths[FINE / 2], remainders[FINE / 2];
    size_t shares[FINE / 2];
    const size_t joined = (strokes + count / 2 - 1) / (count / 2);
    const size_t groups = (strokes + joined - 1) / joined;
    double total = 0;
    for (size_t g = 0, begin = 0; g < groups; g++) {
        const size_t end = ends[(g + 1) * joined <= strokes ? (g + 1) * joined - 1 : strokes - 1];
        lengths[g] = path_length(view, begin, end);
        total += lengths[g];
        begin = end;
    }
    size_t left = count - 2 * groups;
    const double rest = (double)left;
    for (size_t g = 0; g < groups; g++) {
        const double quota = rest * (total > 0 ? lengths[g] / total : 1 / (double)groups);
        size_t whole = (size_t)quota;
        whole = whole < left ? whole : left;
        shares[g] = 2 + whole;
        remainders[g] = quota - (double)whole;
        left -= whole;
    }
    for (; left > 0; left--) {
        size_t largest = 0;
        for (size_t g = 1; g < groups; g++) largest = remainders[g] > remainders[largest] ? g : largest;
        shares[largest]++;
        remainders[largest] = -1;
    }
    for (size_t g = 0, begin = 0, at = 0; g < groups; g++) {
        const size_t end = ends[(g + 1) * joined <= strokes ? (g + 1) * joined - 1 : strokes - 1];
        space_evenly(view, begin, end, lengths[g], shares[g], points + 2 * at);
        memset(numbers + at, (int)g, shares[g]);
        at += shares[g];
        begin = end;
    }
}

void pk_cloud_even(const double *samples, size_t stride, const size_t *ends, size_t strokes, double *even) {
    struct even *gesture = (struct even *)even;
    const size_t count = ends[strokes - 1];
    double low_x = samples[0], high_x = samples[0], low_y = samples[1], high_y = samples[1];
    for (size_t i = 1; i < count; i++) {
        const double x = samples[i * stride], y = samples[i * stride + 1];
        low_x = x < low_x ? x : low_x;
        high_x = x > high_x ? x : high_x;
        low_y = y < low_y ? y : low_y;
        high_y = y > high_y ? y : high_y;
    }
    const double width = high_x - low_x, height = high_y - low_y, side = width > height ? width : height;
    // The reciprocal of a smaller side would overflow, so such a gesture is treated as a dot.
    const struct view view = {samples, stride, low_x, low_y, side > 1e-290 ? 1 / side : 0};
    gesture->strokes = (double)strokes;
    distribute(&view, ends, strokes, CLOUD, gesture->cloud, gesture->cloud_strokes);
    distribute(&view, ends, strokes, FINE, gesture->fine, gesture->fine_strokes);
}

// MARK: Features

// Computes the unit direction between the neighbors of a point within its stroke. Returns false if the neighbors coincide.
INLINE int tangent(
    const double *points, const uint8_t *strokes, size_t count, size_t i, double cosine, double sine, double *x,
    double *y) {
    const size_t before = i > 0 && strokes[i - 1] == strokes[i] ? i - 1 : i;
    const size_t after = i + 1 < count && strokes[i + 1] == strokes[i] ? i + 1 : i;
    const double dx = points[2 * after] - points[2 * before], dy = points[2 * after + 1] - points[2 * before + 1];
    const double length = sqrt(dx * dx + dy * dy);
    if (!(length > SHORTEST)) {
        *x = *y = 0;
        return 0;
    }
    *x = (dx * cosine - dy * sine) / length;
    *y = (dx * sine + dy * cosine) / length;
    return 1;
}

// The sum and the bounding box of points.
struct extent {
    double sum_x, sum_y, low_x, high_x, low_y, high_y;
};

// Rotates points about the origin. Returns the extent of the rotated points.
INLINE struct extent rotated(
    const double *points, size_t count, double cosine, double sine, double *xs, double *ys) {
    struct extent e = {0, 0, INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++) {
        const double x = points[2 * i] * cosine - points[2 * i + 1] * sine;
        const double y = points[2 * i] * sine + points[2 * i + 1] * cosine;
        xs[i] = x;
        ys[i] = y;
        e.sum_x += x;
        e.sum_y += y;
        e.low_x = x < e.low_x ? x : e.low_x;
        e.high_x = x > e.high_x ? x : e.high_x;
        e.low_y = y < e.low_y ? y : e.low_y;
        e.high_y = y > e.high_y ? y : e.high_y;
    }
    return e;
}

INLINE double larger_side(const struct extent *e) {
    const double width = e->high_x - e->low_x, height = e->high_y - e->low_y;
    return width > height ? width : height;
}

static void cloud_features(const struct even *gesture, double cosine, double sine, float *features) {
    const double tangent_scale = sqrt(sqrt(TANGENT_WEIGHT));
    double xs[CLOUD], ys[CLOUD];
    const struct extent e = rotated(gesture->cloud, CLOUD, cosine, sine, xs, ys);
    const double side = larger_side(&e), scale = side > SHORTEST ? 1 / side : 0;
    for (size_t i = 0; i < CLOUD; i++) {
        double x, y;
        const int has_tangent = tangent(gesture->cloud, gesture->cloud_strokes, CLOUD, i, cosine, sine, &x, &y);
        features[X + i] = (float)((xs[i] - e.sum_x / CLOUD) * scale);
        features[Y + i] = (float)((ys[i] - e.sum_y / CLOUD) * scale);
        // The tangent cost between a dot and a line is that of two orthogonal lines; between two dots it is 0.
        features[DOT + i] = has_tangent ? 0 : (float)sqrt(TANGENT_WEIGHT);
        features[TANGENT_X + i] = (float)(x * tangent_scale);
        features[TANGENT_Y + i] = (float)(y * tangent_scale);
    }
}

static void sequence_features(const struct even *gesture, double cosine, double sine, float *features) {
    // For unit vectors, ½·|d − d′|² is 1 − cos, and exactly 0 for equal vectors.
    const double direction_scale = sqrt(0.5), place_scale = sqrt(PLACE_WEIGHT);
    float *planes = features + SEQUENCE;
    memset(planes, 0, 5 * PLANE * sizeof(float));
    // Positions outside the path are so far away that no warp passes through them.
    for (size_t i = 0; i < PLANE; i++) planes[3 * PLANE + i] = i < MARGIN || i >= MARGIN + STEPS ? 1e9f : 0;
    if (gesture->strokes != 1) return;
    double xs[CLOUD], ys[CLOUD];
    const struct extent e = rotated(gesture->cloud, CLOUD, cosine, sine, xs, ys);
    double squares = 0;
    for (size_t i = 0; i < CLOUD; i++) {
        const double x = xs[i] - e.sum_x / CLOUD, y = ys[i] - e.sum_y / CLOUD;
        squares += x * x + y * y;
    }
    const double radius = sqrt(squares / CLOUD), scale = radius > SHORTEST ? place_scale / radius : 0;
    for (size_t i = 0; i < STEPS; i++) {
        const double dx = xs[i + 1] - xs[i], dy = ys[i + 1] - ys[i], length = sqrt(dx * dx + dy * dy);
        const size_t at = MARGIN + i;
        if (length > SHORTEST) {
            planes[at] = (float)(dx / length * direction_scale);
            planes[PLANE + at] = (float)(dy / length * direction_scale);
        } else {
            planes[2 * PLANE + at] = (float)direction_scale;
        }
        planes[3 * PLANE + at] = (float)(((xs[i] + xs[i + 1]) / 2 - e.sum_x / CLOUD) * scale);
        planes[4 * PLANE + at] = (float)(((ys[i] + ys[i + 1]) / 2 - e.sum_y / CLOUD) * scale);
    }
}

// Replaces each number x, from −126 to 0, by 2 to the power of x: a polynomial for the fraction, which is within ±½, times the
// power of the integer part, which is the exponent bits of a float.
INLINE void power_of_2(floats16 *x) {
    // Adding and subtracting 1.5·2²³ rounds to the nearest integer.
    const floats16 magic = SPLAT16(12582912.0f);
    const floats16 whole = (*x + magic) - magic, f = *x - whole;
    floats16 p = SPLAT16(1.5403530e-4f);
    p = p * f + 1.3333558e-3f;
    p = p * f + 9.6181291e-3f;
    p = p * f + 5.5504109e-2f;
    p = p * f + 2.4022651e-1f;
    p = p * f + 6.9314718e-1f;
    p = p * f + 1.0f;
    const ints16 exponent = (__builtin_convertvector(whole, ints16) + 127) << 23;
    *x = p * (floats16)exponent;
}

// Computes the angles of sixteen undirected tangents as fractions of half a turn, from 0 to 1 (Abramowitz and Stegun 4.4.49).
INLINE void half_turns(const float *tangents_x, const float *tangents_y, float *angles) {
    floats16 x, y;
    LOAD(x, tangents_x);
    LOAD(y, tangents_y);
    const floats16 width = __builtin_elementwise_abs(x), height = __builtin_elementwise_abs(y);
    const ints16 is_steep = height > width;
    const floats16 smaller = __builtin_elementwise_min(width, height);
    const floats16 larger = __builtin_elementwise_max(__builtin_elementwise_max(width, height), SPLAT16(1e-30f));
    const floats16 t = smaller / larger, q = t * t;
    floats16 p = SPLAT16(0.0028662257f);
    p = p * q - 0.0161657367f;
    p = p * q + 0.0429096138f;
    p = p * q - 0.0752896400f;
    p = p * q + 0.1065626393f;
    p = p * q - 0.1420889944f;
    p = p * q + 0.1999355085f;
    p = p * q - 0.3333314528f;
    p = (p * q + 1.0f) * t * 0.318309886f;
    p = CHOOSE16(is_steep, 0.5f - p, p);
    const ints16 falls = (x * y) < 0;
    p = CHOOSE16(falls, 1.0f - p, p);
    STORE(angles, p);
}

INLINE void histogram_features(const struct even *gesture, double cosine, double sine, float *features) {
    double xs[FINE], ys[FINE];
    float tangent_x[FINE], tangent_y[FINE], angles[FINE];
    uint8_t is_dot[FINE];
    const struct extent e = rotated(gesture->fine, FINE, cosine, sine, xs, ys);
    const double side = larger_side(&e), scale = side > SHORTEST ? CELLS / side : 0;
    for (size_t i = 0; i < FINE; i++) {
        double x, y;
        is_dot[i] = !tangent(gesture->fine, gesture->fine_strokes, FINE, i, cosine, sine, &x, &y);
        tangent_x[i] = (float)x;
        tangent_y[i] = (float)y;
    }
    for (size_t i = 0; i < FINE; i += 16) half_turns(tangent_x + i, tangent_y + i, angles + i);
    floats8 bins[BINS][CELLS];
    memset(bins, 0, sizeof bins);
    const double middle_x = (e.low_x + e.high_x) / 2, middle_y = (e.low_y + e.high_y) / 2;
    // exp(−d²/2σ²) with σ = 0.7 cells, as a power of 2.
    const float spread = -1.4426950f / (2 * 0.7f * 0.7f);
    const floats16 centers = {-3.5f, -2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f, 3.5f,
                              -3.5f, -2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f, 3.5f};
    for (size_t i = 0; i < FINE; i++) {
        const float x = (float)((xs[i] - middle_x) * scale), y = (float)((ys[i] - middle_y) * scale);
        const floats16 at = {x, x, x, x, x, x, x, x, y, y, y, y, y, y, y, y};
        floats16 weights = (at - centers) * (at - centers) * spread;
        power_of_2(&weights);
        const floats8 row = __builtin_shufflevector(weights, weights, 0, 1, 2, 3, 4, 5, 6, 7);
        if (is_dot[i]) {
            for (int cell = 0; cell < CELLS; cell++)
                for (int bin = 0; bin < BINS; bin++) bins[bin][cell] += row * (weights[CELLS + cell] / BINS);
            continue;
        }
        const float place = angles[i] * BINS;
        int bin = (int)place;
        bin = bin < BINS ? bin : BINS - 1;
        const int next = bin + 1 < BINS ? bin + 1 : 0;
        const float share = place - (float)bin;
        const floats8 there = row * share, here = row - there;
        for (int cell = 0; cell < CELLS; cell++) {
            bins[bin][cell] += here * weights[CELLS + cell];
            bins[next][cell] += there * weights[CELLS + cell];
        }
    }
    // Divides the entries by their sum and takes the square roots. The squares of the roots add up to 1, so the result is a unit
    // vector.
    floats8 sums = {0};
    for (int bin = 0; bin < BINS; bin++)
        for (int cell = 0; cell < CELLS; cell++) sums += bins[bin][cell];
    const float inverse = 1 / SUM8(sums);
    for (int bin = 0; bin < BINS; bin++) {
        for (int cell = 0; cell < CELLS; cell++) {
            const floats8 roots = __builtin_elementwise_sqrt(bins[bin][cell] * inverse);
            STORE(features + HISTOGRAM + (bin * CELLS + cell) * 8, roots);
        }
    }
}

PK_DISPATCH
void pk_cloud_features(const double *even, double cosine, double sine, float *features) {
    const struct even *gesture = (const struct even *)even;
    cloud_features(gesture, cosine, sine, features);
    sequence_features(gesture, cosine, sine, features);
    histogram_features(gesture, cosine, sine, features);
}

void pk_cloud_reversed(const float *features, float *reversed) {
    for (size_t plane = 0; plane < 5; plane++) {
        const float *from = features + SEQUENCE + plane * PLANE;
        float *to = reversed + plane * PLANE;
        // Positions outside this path (−1e9) are far from all positions outside the other path (1e9).
        for (size_t i = 0; i < PLANE; i++) to[i] = plane == 3 ? -1e9f : 0;
        for (size_t i = 0; i < STEPS; i++) to[MARGIN + i] = from[MARGIN + STEPS - 1 - i];
    }
}

// MARK: Distances

// The weights in the cost of tangents when the drawing direction counts: 0.2·(1 − c²) + 0.1·(1 − c), where c is the cosine between
// two tangents. The features contain tangents multiplied by the fourth root of `TANGENT_WEIGHT`. A product of two tangents is
// therefore multiplied by its square root, 0.5477, and a product of four by `TANGENT_WEIGHT`.
static const float ACROSS = (float)(0.2 / 0.3), ALONG = (float)(0.1 / 2 / 0.5477225575051661);

// Computes the cost of the cheapest point of `a` for every point of `b`. Returns the chosen points of `a`, one bit per point.
INLINE uint32_t cheapest(const float *a, const float *b, floats16 costs[2], const int is_directed) {
    ints16 chosen[2] = {{0}, {0}};
    costs[0] = costs[1] = SPLAT16(INFINITY);
    for (int i = 0; i < CLOUD; i++) {
        for (int half = 0; half < 2; half++) {
            floats16 x, y, dot, tangent_x, tangent_y;
            LOAD(x, b + X + 16 * half);
            LOAD(y, b + Y + 16 * half);
            LOAD(dot, b + DOT + 16 * half);
            LOAD(tangent_x, b + TANGENT_X + 16 * half);
            LOAD(tangent_y, b + TANGENT_Y + 16 * half);
            x -= a[X + i];
            y -= a[Y + i];
            dot -= a[DOT + i];
            // The sine between the tangents. Its square is 1 − cos², and exactly 0 for equal tangents.
            const floats16 across = tangent_x * a[TANGENT_Y + i] - tangent_y * a[TANGENT_X + i];
            floats16 cost;
            if (is_directed) {
                tangent_x -= a[TANGENT_X + i];
                tangent_y -= a[TANGENT_Y + i];
                const floats16 turn = tangent_x * tangent_x + tangent_y * tangent_y;
                cost = (x * x + y * y) + (across * across * ACROSS + turn * ALONG);
            } else {
                cost = (x * x + y * y) + (dot * dot + across * across);
            }
            const ints16 is_less = cost < costs[half];
            costs[half] = __builtin_elementwise_min(cost, costs[half]);
            chosen[half] = (chosen[half] & ~is_less) | (is_less & i);
        }
    }
    const ints16 one = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const ints16 bits = (one << chosen[0]) | (one << chosen[1]);
    return (uint32_t)__builtin_reduce_or(bits);
}

// Returns the sum of all costs, plus the costs of the other gesture's points that were not chosen. All costs are square roots of
// those that `cheapest` computes.
INLINE float sum_of_roots(const floats16 all[2], const floats16 others[2], uint32_t chosen) {
    const ints16 lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    floats16 sum = all[0] + all[1];
    for (int half = 0; half < 2; half++) {
        const ints16 is_chosen = ((((int)chosen >> (lanes + 16 * half)) & 1) != 0);
        sum += (floats16)((ints16)others[half] & ~is_chosen);
    }
    return SUM16(sum);
}

INLINE float cloud_distance(const float *a, const float *b, const int is_directed) {
    floats16 of_a[2], of_b[2];
    const uint32_t chosen_a = cheapest(a, b, of_b, is_directed), chosen_b = cheapest(b, a, of_a, is_directed);
    for (int half = 0; half < 2; half++) {
        of_a[half] = __builtin_elementwise_sqrt(of_a[half]);
        of_b[half] = __builtin_elementwise_sqrt(of_b[half]);
    }
    const float there = sum_of_roots(of_a, of_b, chosen_b), back = sum_of_roots(of_b, of_a, chosen_a);
    return (there < back ? there : back) / CLOUD;
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

// Returns the cost per step of dynamic time warping within ±4 steps, computed along the diagonals of the band. Diagonals with an
// even sum of indices have five cells, the others four.
INLINE float warp_distance(const float *reversed, const float *planes) {
    const float far = 1e30f;
    const floats8 outside[2] = {{0, 0, 0, 0, 0, far, far, far}, {0, 0, 0, 0, far, far, far, far}};
    floats8 before = {far, far, 0, far, far, far, far, far};
    floats8 last = {far, far, far, far, far, far, far, far};
    const floats8 beyond = last;
    for (int k = 0; k < 2 * STEPS - 1; k++) {
        const int odd = k & 1, q = k / 2;
        floats8 cost = outside[odd];
        for (int plane = 0; plane < 5; plane++) {
            floats8 a, b;
            LOAD(a, reversed + plane * PLANE + MARGIN + STEPS - 3 - q);
            LOAD(b, planes + plane * PLANE + MARGIN - 2 + q + odd);
            a -= b;
            cost += a * a;
        }
        const floats8 beside = odd ? __builtin_shufflevector(last, beyond, 1, 2, 3, 4, 5, 6, 7, 8)
                                   : __builtin_shufflevector(beyond, last, 0, 8, 9, 10, 11, 12, 13, 14);
        const floats8 here = cost + __builtin_elementwise_min(beside, __builtin_elementwise_min(before, last));
        before = last;
        last = here;
    }
    return last[2] / STEPS;
}

PK_DISPATCH_WIDE
void pk_cloud_shapes(
    const float *query, const float *templates, const uint32_t *which, size_t count, float *distances) {
    for (size_t i = 0; i < count; i++) {
        const float *other = templates + which[i] * PK_CLOUD_FEATURES;
        const float cloud = cloud_distance(query, other, 0), histogram = histogram_distance(query, other);
        distances[i] = (3 * cloud / 0.4545f + histogram / 0.547f) / 4;
    }
}

PK_DISPATCH_WIDE
void pk_cloud_drawn(const float *query, const float *templates, size_t count, float *distances) {
    for (size_t i = 0; i < count; i++)
        distances[i] = cloud_distance(query, templates + i * PK_CLOUD_FEATURES, 1) / 0.583f;
}

PK_DISPATCH
void pk_cloud_warps(
    const float *reversed, const float *templates, const uint32_t *which, size_t count, float *distances) {
    for (size_t i = 0; i < count; i++)
        distances[i] =
            warp_distance(reversed, templates + which[i] * PK_CLOUD_FEATURES + SEQUENCE) / 1.169f;
}

float pk_cloud_compact(const float *features, int8_t *compact) {
    int squares = 0;
    for (int i = 0; i < PK_CLOUD_COMPACT; i++) {
        // Entries greater than ½ are rare, so they are clamped to ½.
        const float scaled = features[HISTOGRAM + i] * 254 + 0.5f;
        compact[i] = (int8_t)(scaled < 127 ? scaled : 127);
        squares += compact[i] * compact[i];
    }
    return squares > 0 ? 1 / sqrtf((float)squares) : 0;
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
