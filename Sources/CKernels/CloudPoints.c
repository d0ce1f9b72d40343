#include "Clouds.h"

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

// Returns how many neighboring strokes are joined, so that there are at least two points for each.
static size_t joined_strokes(size_t strokes, size_t count) { return (strokes + count / 2 - 1) / (count / 2); }

// Returns the index after the last sample of a group of joined strokes.
INLINE size_t end_of(const size_t *ends, size_t strokes, size_t joined, size_t group) {
    return ends[(group + 1) * joined <= strokes ? (group + 1) * joined - 1 : strokes - 1];
}

// Computes the length of every group of joined strokes.
static void measure(const struct view *view, const size_t *ends, size_t strokes, size_t joined, double *lengths) {
    for (size_t g = 0, begin = 0; g * joined < strokes; g++) {
        const size_t end = end_of(ends, strokes, joined, g);
        lengths[g] = path_length(view, begin, end);
        begin = end;
    }
}

// Returns a number that ranks groups of equal length. It does not depend on the order and direction of drawing.
static double rank(const struct view *view, const size_t *ends, size_t strokes, size_t joined, size_t group) {
    const size_t begin = group > 0 ? end_of(ends, strokes, joined, group - 1) : 0;
    double low = INFINITY, high = -INFINITY;
    // The extent in a direction that no symmetry of a drawn figure has.
    for (size_t i = begin, end = end_of(ends, strokes, joined, group); i < end; i++) {
        const double place = place_x(view, i) + 0.618 * place_y(view, i);
        low = place < low ? place : low;
        high = place > high ? place : high;
    }
    return high + 0.5 * low;
}

// Distributes `count` points among the groups of joined strokes: two for each group, and the rest by length, largest remainder
// first; of equal remainders, that of the lowest rank. Writes the points, and the number of each point's group.
static void distribute(
    const struct view *view, const size_t *ends, size_t strokes, size_t joined, const double *lengths, size_t count,
    double *points, uint8_t *numbers) {
    double remainders[FINE / 2];
    size_t shares[FINE / 2];
    const size_t groups = (strokes + joined - 1) / joined;
    double total = 0;
    for (size_t g = 0; g < groups; g++) total += lengths[g];
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
        for (size_t g = 1; g < groups; g++) {
            double more = remainders[g] - remainders[largest];
            // Equal strokes can differ by rounding, in a way that depends on the order and direction of drawing.
            if (fabs(more) < 1e-9)
                more = rank(view, ends, strokes, joined, largest) - rank(view, ends, strokes, joined, g);
            if (more > 0) largest = g;
        }
        shares[largest]++;
        // No two used remainders are equal, so their ranks are not computed.
        remainders[largest] = -1 - (double)largest;
    }
    for (size_t g = 0, begin = 0, at = 0; g < groups; g++) {
        const size_t end = end_of(ends, strokes, joined, g);
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
    double lengths[FINE / 2];
    const size_t joined = joined_strokes(strokes, CLOUD), fine_joined = joined_strokes(strokes, FINE);
    measure(&view, ends, strokes, joined, lengths);
    distribute(&view, ends, strokes, joined, lengths, CLOUD, gesture->cloud, gesture->cloud_strokes);
    if (fine_joined != joined) measure(&view, ends, strokes, fine_joined, lengths);
    distribute(&view, ends, strokes, fine_joined, lengths, FINE, gesture->fine, gesture->fine_strokes);
}
