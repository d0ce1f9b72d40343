// Numeric kernels that must be fast on any machine.
//
// On x86-64 Linux every kernel exists twice, for any processor and for those with AVX2; which one runs is decided at run
// time. What reaches a result is the same to the bit in both: one number of lanes, one order of summation, no fused
// multiply-add. Only `pk_protractor_scores`, which chooses what is computed exactly afterwards, may fuse.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How many templates stand side by side where they are compared in single precision.
#define PK_LANES 16

/// Converts a vector to single precision, and returns the sum of its squares.
double pk_single(const double *values, size_t count, float *single);

/// The squared distances between a vector and `count` templates of `dimension` numbers, one behind the other.
void pk_squared_distances(
    const double *templates, size_t count, size_t dimension, const double *query, double *distances);

/// The cosine between a query and every template, each turned to fit best within a tolerance (Protractor, CHI 2010, with
/// the angle clamped), in single precision.
///
/// The query is a vector of unit length, x and y of every point in turn. `templates` holds `count` such vectors, a
/// multiple of `PK_LANES`, in blocks: for every point x of `PK_LANES` templates, then y of them. `scores` gets `count`
/// numbers.
void pk_protractor_scores(
    const float *templates, size_t count, size_t points, const float *query, float cos_tolerance,
    float sin_tolerance, float *scores);

/// The squared distance between a vector of unit length and another one, turned to fit best within a tolerance. `count` is
/// that of their numbers, x and y of every point in turn.
double pk_protractor_exact(
    const double *query, const double *other, size_t count, double cos_tolerance, double sin_tolerance);

/// The sum of the distances from the points of a stroke, turned by an angle, to those of another one ($1, UIST 2007). Both
/// are a plane of x and a plane of y, each filled up with zeros to a multiple of 8.
double pk_path_distance(
    const double *query, const double *other, size_t padded, double cosine, double sine);

/// The largest score of every category: the templates of category c are `starts[c]` up to `starts[c + 1]`, at least one.
/// Returns the second largest of them, minus infinity if there is one category only.
float pk_category_best(const float *scores, const size_t *starts, size_t categories, float *best);

/// The most bits that any of the patterns has in common with a query; 0 when there is no pattern.
unsigned pk_most_bits_in_common(const uint64_t *patterns, size_t count, uint64_t query);

/// The same by one of its variants, for tests: 0 for any processor, 1 with AVX2, 2 with AVX-512. One that the processor does
/// not have is replaced by the first.
unsigned pk_most_bits_in_common_variant(int variant, const uint64_t *patterns, size_t count, uint64_t query);

/// How many points the cloud of a gesture has, and the finer one its histogram is made of.
#define PK_CLOUD_POINTS 32
#define PK_CLOUD_FINE_POINTS 128

/// How many numbers a gesture as evenly spaced points is, its features, and its path from the end to the beginning.
#define PK_CLOUD_EVEN 341
#define PK_CLOUD_FEATURES 784
#define PK_CLOUD_REVERSED 240

/// Spaces the points of a gesture evenly: in every stroke two points, the rest shared by length. The larger side of its box
/// becomes 1. Writes `PK_CLOUD_EVEN` numbers.
///
/// Samples are `stride` numbers apart and begin with x and y, all finite and below 1e150. `ends` says for each of the
/// strokes, one or more, where it ends; every stroke has a sample.
void pk_cloud_even(const double *samples, size_t stride, const size_t *ends, size_t strokes, double *even);

/// What gestures are compared by, of one that is turned by an angle: a cloud of points with tangents, the steps of the path
/// if it is one stroke, and a histogram of orientations of unit length. Writes `PK_CLOUD_FEATURES` numbers.
void pk_cloud_features(const double *even, double cosine, double sine, float *features);

/// The steps of a path from its end to its beginning, as `pk_cloud_warps` compares them: `PK_CLOUD_REVERSED` numbers.
void pk_cloud_reversed(const float *features, float *reversed);

/// How far templates are from a query by shape alone: clouds of points (as $P+, Vatavu 2017, with undirected tangents) and
/// histograms, each divided by its median between different gestures. `which` names the `count` templates.
void pk_cloud_shapes(
    const float *query, const float *templates, const uint32_t *which, size_t count, float *distances);

/// How far `count` templates are from a query by their clouds, where the direction of drawing counts as well, divided by its
/// median between different gestures.
void pk_cloud_drawn(const float *query, const float *templates, size_t count, float *distances);

/// How far templates of one stroke are from a query of one stroke by the way they are drawn (dynamic time warping of
/// steps), divided by its median between different gestures.
void pk_cloud_warps(
    const float *reversed, const float *templates, const uint32_t *which, size_t count, float *distances);

/// How many bytes a compact histogram is.
#define PK_CLOUD_COMPACT 384

/// Makes the histogram of features compact: a byte a number. Returns the reciprocal of its length.
float pk_cloud_compact(const float *features, int8_t *compact);

/// How far the compact histograms of `count` templates, one behind the other, are from that of a query: the quickest part, which
/// chooses what is compared in full. `scales` are the reciprocals of their lengths.
void pk_cloud_histograms(
    const int8_t *query, float scale, const int8_t *templates, const float *scales, size_t count, float *distances);

#ifdef __cplusplus
}
#endif
