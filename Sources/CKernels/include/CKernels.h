// Numeric kernels that must be fast on every machine.
//
// On x86-64, most kernels exist in several variants: for any processor, for processors with AVX2, and some also for processors with
// AVX-512. The variant is chosen at run time. All variants give the same results to the bit, because they have the same number of
// lanes and the same order of summation, and use no fused multiply-add. Only `pk_protractor_scores` may use it: its results only
// select the templates whose distances are then computed exactly.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The number of templates that are interleaved for comparisons in single precision.
#define PK_LANES 16

/// Converts a vector to single precision. Returns the sum of the squares of its numbers, in double precision.
double pk_single(const double *values, size_t count, float *single);

/// Computes the squared distances between a vector and `count` consecutive templates of `dimension` numbers.
void pk_squared_distances(
    const double *templates, size_t count, size_t dimension, const double *query, double *distances);

/// Computes, in single precision, the cosine between a query and every template, each rotated to fit best within a tolerance
/// (Protractor, CHI 2010, with the angle clamped).
///
/// The query is a unit vector with x and y of the points alternately. `templates` contains `count` vectors, a multiple of
/// `PK_LANES`, in blocks: for every point, x of `PK_LANES` templates, followed by their y. `scores` receives `count` numbers.
void pk_protractor_scores(
    const float *templates, size_t count, size_t points, const float *query, float cos_tolerance,
    float sin_tolerance, float *scores);

/// A template that may be the nearest of its category, and its squared distance from the query.
typedef struct {
    uint32_t category;
    uint32_t index;
    double square;
} pk_candidate;

/// Finds the templates that may be the nearest of a category that matters, by their scores with an error of at most half of
/// `slack`. The two categories with the largest scores matter, and all with a score of at least `lowest`.
///
/// The templates of category c are `starts[c]` up to, but not including, `starts[c + 1]`; every category has at least one. `best`
/// receives the largest score of every category. `candidates` receives the templates in order, and has room for all. Returns their
/// number.
size_t pk_protractor_candidates(
    const float *scores, const size_t *starts, size_t categories, float lowest, float slack, float *best,
    pk_candidate *candidates);

/// Finds the nearest candidate of every category by the squared distances between a unit vector and the templates, each rotated to
/// fit best within a tolerance.
///
/// `templates` contains consecutive unit vectors of `dimension` numbers, x and y of the points alternately. `candidates` is in the
/// order of the categories. Afterwards, it begins with the nearest candidate of every category and its distance. Returns their
/// number.
size_t pk_protractor_exact(
    const double *query, const double *templates, size_t dimension, double cos_tolerance, double sin_tolerance,
    pk_candidate *candidates, size_t count);

/// Returns the sum of the distances between the points of a stroke, rotated by an angle, and the corresponding points of another
/// stroke ($1, UIST 2007). Each stroke is a plane of x and a plane of y, both padded with zeros to a multiple of 8.
double pk_path_distance(
    const double *query, const double *other, size_t padded, double cosine, double sine);

/// Returns whether all numbers are finite and of at most a magnitude.
int pk_are_within(const double *numbers, size_t count, double largest);

/// How many more numbers than samples the array `reached` holds, and how many more than points the array `passed`.
#define PK_PATH_MARGIN 3
#define PK_POINTS_MARGIN 2

/// Measures the path through `count` samples, at least one. A sample is four finite numbers, of which the first two are x and y.
/// `lengths` receives the distance of every sample to the next one, and 0 for the last: `count` numbers. `reached` receives the
/// length of the path up to every sample but the last, and then infinity: `count + PK_PATH_MARGIN` numbers. Both are for
/// `pk_path_points`. Returns the length of the whole path.
double pk_path_measure(const double *samples, size_t count, double *lengths, double *reached);

/// Puts points along a measured path, `step` apart: the first on the first sample, the last on the last sample. All four numbers are
/// interpolated. `points` is from 1 to 2^30. `passed` is working memory for `points + PK_POINTS_MARGIN` numbers.
void pk_path_points(
    const double *samples, const double *lengths, const double *reached, size_t count, double step, size_t *passed,
    double *output, size_t points);

/// Returns the largest number of bits that any of the patterns has in common with a query, or 0 when there is no pattern.
unsigned pk_most_bits_in_common(const uint64_t *patterns, size_t count, uint64_t query);

/// Does the same as `pk_most_bits_in_common` with a specific variant, for tests: 0 for any processor, 1 with AVX2, 2 with AVX-512.
/// Uses variant 0 if the processor does not support the given one.
unsigned pk_most_bits_in_common_variant(int variant, const uint64_t *patterns, size_t count, uint64_t query);

/// The number of points in the cloud of a gesture, and in the finer cloud of its histogram.
#define PK_CLOUD_POINTS 32
#define PK_CLOUD_FINE_POINTS 128

/// How many numbers describe a gesture: as evenly spaced points (doubles), as features (floats), and as a reversed path (floats).
#define PK_CLOUD_EVEN 341
#define PK_CLOUD_FEATURES 784
#define PK_CLOUD_REVERSED 240

/// Spaces the points of a gesture evenly: two points in every stroke, and the rest distributed by length. Scales the larger side of
/// its box to 1. Writes `PK_CLOUD_EVEN` numbers.
///
/// Samples are `stride` numbers apart and start with x and y, all finite and below 1e150. `ends` contains, for each stroke, the
/// index after its last sample. There is at least one stroke, and every stroke has at least one sample.
void pk_cloud_even(const double *samples, size_t stride, const size_t *ends, size_t strokes, double *even);

/// Computes the features of a gesture that is rotated by an angle: a cloud of points with tangents, the steps of the path if the
/// gesture has one stroke, and a histogram of orientations, scaled to unit length. Writes `PK_CLOUD_FEATURES` numbers.
void pk_cloud_features(const double *even, double cosine, double sine, float *features);

/// Writes the steps of a path from its end to its start, as `pk_cloud_warps` requires: `PK_CLOUD_REVERSED` numbers.
void pk_cloud_reversed(const float *features, float *reversed);

/// Computes the distances of templates from a query by shape alone: a weighted mean of the distance of the clouds (as in $P+,
/// Vatavu 2017, with undirected tangents) and the distance of the histograms, each divided by its median between different
/// gestures. `which` contains the indices of the `count` templates.
void pk_cloud_shapes(
    const float *query, const float *templates, const uint32_t *which, size_t count, float *distances);

/// Computes the distances of `count` templates from a query by their clouds, where the drawing direction counts too. The distances
/// are divided by their median between different gestures.
void pk_cloud_drawn(const float *query, const float *templates, size_t count, float *distances);

/// Computes the distances of single-stroke templates from a single-stroke query by their paths (dynamic time warping of steps). The
/// distances are divided by their median between different gestures.
void pk_cloud_warps(
    const float *reversed, const float *templates, const uint32_t *which, size_t count, float *distances);

/// The size of a compact histogram in bytes.
#define PK_CLOUD_COMPACT 384

/// Compresses the histogram of features to one byte per number. Returns the reciprocal of the compressed vector's length.
float pk_cloud_compact(const float *features, int8_t *compact);

/// Computes the distances between the compact histogram of a query and those of `count` consecutive templates. This is the fastest
/// comparison; it selects the templates to compare in full. `scale` and `scales` are the results of `pk_cloud_compact`.
void pk_cloud_histograms(
    const int8_t *query, float scale, const int8_t *templates, const float *scales, size_t count, float *distances);

#ifdef __cplusplus
}
#endif
