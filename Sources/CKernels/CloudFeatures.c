#include "Clouds.h"

// The weight of an undirected tangent relative to the position, and of a position on the path relative to its direction.
static const double TANGENT_WEIGHT = 0.3, PLACE_WEIGHT = 0.2;

// A distance shorter than this fraction of the gesture's larger side has no direction: rounding errors would determine it.
static const double SHORTEST = 1e-6;

// Computes the tangents of points: the unit directions between the neighbors of each point within its stroke, rotated. The tangent
// of a dot, whose neighbors coincide, is (0, 0). `count` is a multiple of 8.
INLINE void tangents(
    const double *points, const uint8_t *strokes, size_t count, double cosine, double sine, double *xs, double *ys) {
    for (size_t i = 0; i < count; i++) {
        const size_t before = i > 0 && strokes[i - 1] == strokes[i] ? i - 1 : i;
        const size_t after = i + 1 < count && strokes[i + 1] == strokes[i] ? i + 1 : i;
        xs[i] = points[2 * after] - points[2 * before];
        ys[i] = points[2 * after + 1] - points[2 * before + 1];
    }
    for (size_t i = 0; i < count; i += 8) {
        doubles8 dx, dy;
        LOAD(dx, xs + i);
        LOAD(dy, ys + i);
        const doubles8 length = __builtin_elementwise_sqrt(dx * dx + dy * dy);
        const longs8 is_long = length > SHORTEST;
        const doubles8 x = (doubles8)((longs8)((dx * cosine - dy * sine) / length) & is_long);
        const doubles8 y = (doubles8)((longs8)((dx * sine + dy * cosine) / length) & is_long);
        STORE(xs + i, x);
        STORE(ys + i, y);
    }
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

INLINE void cloud_features(const struct even *gesture, double cosine, double sine, float *features) {
    const double tangent_scale = sqrt(sqrt(TANGENT_WEIGHT));
    double xs[CLOUD], ys[CLOUD], tangent_x[CLOUD], tangent_y[CLOUD];
    const struct extent e = rotated(gesture->cloud, CLOUD, cosine, sine, xs, ys);
    const double side = larger_side(&e), scale = side > SHORTEST ? 1 / side : 0;
    tangents(gesture->cloud, gesture->cloud_strokes, CLOUD, cosine, sine, tangent_x, tangent_y);
    for (size_t i = 0; i < CLOUD; i++) {
        features[X + i] = (float)((xs[i] - e.sum_x / CLOUD) * scale);
        features[Y + i] = (float)((ys[i] - e.sum_y / CLOUD) * scale);
        // The tangent cost between a dot and a line is that of two orthogonal lines; between two dots it is 0.
        features[DOT + i] = tangent_x[i] == 0 && tangent_y[i] == 0 ? (float)sqrt(TANGENT_WEIGHT) : 0;
        features[TANGENT_X + i] = (float)(tangent_x[i] * tangent_scale);
        features[TANGENT_Y + i] = (float)(tangent_y[i] * tangent_scale);
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
    double xs[FINE], ys[FINE], tangents_x[FINE], tangents_y[FINE];
    float tangent_x[FINE], tangent_y[FINE], angles[FINE];
    const struct extent e = rotated(gesture->fine, FINE, cosine, sine, xs, ys);
    const double side = larger_side(&e), scale = side > SHORTEST ? CELLS / side : 0;
    tangents(gesture->fine, gesture->fine_strokes, FINE, cosine, sine, tangents_x, tangents_y);
    for (size_t i = 0; i < FINE; i++) {
        tangent_x[i] = (float)tangents_x[i];
        tangent_y[i] = (float)tangents_y[i];
    }
    for (size_t i = 0; i < FINE; i += 16) half_turns(tangent_x + i, tangent_y + i, angles + i);
    const double middle_x = (e.low_x + e.high_x) / 2, middle_y = (e.low_y + e.high_y) / 2;
    // exp(−d²/2σ²) with σ = 0.7 cells, as a power of 2.
    const float spread = -1.4426950f / (2 * 0.7f * 0.7f);
    const floats16 centers = {-3.5f, -2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f, 3.5f,
                              -3.5f, -2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f, 3.5f};
    // The weights of the columns and of the rows for every point. A loop of its own lets the processor work on several points at once.
    floats16 weights[FINE];
    for (size_t i = 0; i < FINE; i++) {
        const float x = (float)((xs[i] - middle_x) * scale), y = (float)((ys[i] - middle_y) * scale);
        const floats16 at = {x, x, x, x, x, x, x, x, y, y, y, y, y, y, y, y};
        weights[i] = (at - centers) * (at - centers) * spread;
        power_of_2(&weights[i]);
    }
    // Two rows of eight cells in every vector.
    floats16 bins[BINS][CELLS / 2];
    memset(bins, 0, sizeof bins);
    for (size_t i = 0; i < FINE; i++) {
        const floats16 columns = __builtin_shufflevector(weights[i], weights[i], LOW_HALF, LOW_HALF);
        floats16 rows[CELLS / 2];
        for (int pair = 0; pair < CELLS / 2; pair++) {
            const float a = weights[i][CELLS + 2 * pair], b = weights[i][CELLS + 2 * pair + 1];
            rows[pair] = (floats16){a, a, a, a, a, a, a, a, b, b, b, b, b, b, b, b};
        }
        if (tangents_x[i] == 0 && tangents_y[i] == 0) {
            for (int pair = 0; pair < CELLS / 2; pair++)
                for (int bin = 0; bin < BINS; bin++) bins[bin][pair] += columns * (rows[pair] / BINS);
            continue;
        }
        const float place = angles[i] * BINS;
        int bin = (int)place;
        bin = bin < BINS ? bin : BINS - 1;
        const int next = bin + 1 < BINS ? bin + 1 : 0;
        const float share = place - (float)bin;
        const floats16 there = columns * share, here = columns - there;
        for (int pair = 0; pair < CELLS / 2; pair++) {
            bins[bin][pair] += here * rows[pair];
            bins[next][pair] += there * rows[pair];
        }
    }
    // Divides the entries by their sum and takes the square roots. The squares of the roots add up to 1, so the result is a unit
    // vector.
    floats8 sums = {0};
    for (int bin = 0; bin < BINS; bin++) {
        for (int pair = 0; pair < CELLS / 2; pair++) {
            sums += __builtin_shufflevector(bins[bin][pair], bins[bin][pair], LOW_HALF);
            sums += __builtin_shufflevector(bins[bin][pair], bins[bin][pair], HIGH_HALF);
        }
    }
    const float inverse = 1 / SUM8(sums);
    for (int bin = 0; bin < BINS; bin++) {
        for (int pair = 0; pair < CELLS / 2; pair++) {
            const floats16 roots = __builtin_elementwise_sqrt(bins[bin][pair] * inverse);
            STORE(features + HISTOGRAM + 8 * (bin * CELLS + 2 * pair), roots);
        }
    }
}

PK_DISPATCH_WIDE
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
