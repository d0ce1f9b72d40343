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

/// Vectors are held as a plane of x and a plane of y, each padded with zeros to a multiple of this.
#define PK_PADDING 8

/// Takes a vector of x and y in turn apart into planes, in double and in single precision, and returns the sum of its
/// squares. `planes` and `single` have room for 2·padded numbers, of which the padding is left as it is.
double pk_split(const double *values, size_t points, size_t padded, double *planes, float *single);

/// The cosine between a query and every template, each turned to fit best within a tolerance (Protractor, CHI 2010, with
/// the angle clamped), in single precision.
///
/// `templates` holds `count` vectors of unit length, a multiple of 8; `scores` gets as many numbers.
void pk_protractor_scores(
    const float *templates, size_t count, size_t padded, const float *query, float cos_tolerance,
    float sin_tolerance, float *scores);

/// The squared distance between a vector of unit length and another one, turned to fit best within a tolerance.
double pk_protractor_exact(
    const double *query, const double *other, size_t padded, double cos_tolerance, double sin_tolerance);

/// The sum of the distances from the points of a stroke, turned by an angle, to those of another one ($1, UIST 2007).
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
