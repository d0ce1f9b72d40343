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

#ifdef __cplusplus
}
#endif
