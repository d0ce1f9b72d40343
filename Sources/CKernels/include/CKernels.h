// Numeric kernels that must be fast on any machine.
//
// On x86-64 Linux every kernel exists twice, for any processor and for those with AVX2, and the loader picks one. Both
// give the same bits: they use the same number of lanes, the same order of summation and no fused multiply-add.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How many templates stand side by side in a block of `pk_protractor_scores`.
#define PK_TEMPLATES_PER_BLOCK 16

/// How many doubles the planes of the exact kernels are padded to a multiple of.
#define PK_PLANE_ALIGNMENT 8

/// The cosine between a query and every template, each turned to fit best within a tolerance (Protractor, CHI 2010, with
/// the angle clamped).
///
/// `templates` holds `blocks` blocks of, for every point, 16 x and then 16 y (one of each template of the block). `query`
/// holds x and y in turn. All vectors have unit length; a padding template is all zero. `scores` gets 16·blocks numbers.
void pk_protractor_scores(
    const float *templates, size_t blocks, size_t points, const float *query, float cos_tolerance,
    float sin_tolerance, float *scores);

/// The squared distance between a vector of unit length and another one, turned to fit best within a tolerance.
///
/// Both hold a plane of x and a plane of y, each `padded` long (a multiple of 8, filled up with zeros).
double pk_protractor_exact(
    const double *query, const double *other, size_t padded, double cos_tolerance, double sin_tolerance);

/// The sum of the distances from the points of a stroke, turned by an angle and moved, to those of another one ($1, UIST
/// 2007). Planes as above.
double pk_path_distance(
    const double *query, const double *other, size_t padded, double cosine, double sine);

/// The largest score of every category: the templates of category c are `starts[c]` up to `starts[c + 1]`, at least one.
void pk_category_best(const float *scores, const size_t *starts, size_t categories, float *best);

#ifdef __cplusplus
}
#endif
