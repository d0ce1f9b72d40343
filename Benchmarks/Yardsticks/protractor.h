// Protractor (Li, CHI 2010) with AVX2 and FMA. Sixteen templates are compared side by side, one per lane, so that no sum runs
// across the lanes of a vector.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <immintrin.h>
#include <vector>

struct Best {
    int index;
    float similarity;
};

struct Answer {
    int category;
    double score, margin;
};

class Protractor {
    size_t points, count, blocks;
    double cos_tolerance, sin_tolerance;
    float cosine, sine;
    float *rows;
    std::vector<double> exact;

public:
    /// `vectors` contains `count` unit vectors, with x and y of the points alternately. `points` must be a multiple of 4.
    Protractor(const std::vector<double> &vectors, size_t count, size_t points, double tolerance_rad)
        : points(points), count(count), blocks((count + 15) / 16), cos_tolerance(std::cos(tolerance_rad)),
          sin_tolerance(std::sin(tolerance_rad)), cosine(float(cos_tolerance)), sine(float(sin_tolerance)),
          exact(vectors) {
        size_t floats = blocks * points * 32;
        rows = static_cast<float *>(std::aligned_alloc(64, floats * 4));
        for (size_t i = 0; i < floats; i++) rows[i] = 0;
        for (size_t i = 0; i < count; i++) {
            for (size_t p = 0; p < points; p++) {
                float *row = rows + (i / 16 * points + p) * 32 + i % 16;
                row[0] = float(vectors[(i * points + p) * 2]);
                row[16] = float(vectors[(i * points + p) * 2 + 1]);
            }
        }
    }
    Protractor(const Protractor &) = delete;
    ~Protractor() { std::free(rows); }

    /// Returns the template nearest to a query, by similarity in single precision.
    Best match(const double *query) const {
        Best best{-1, -2};
        each_block(query, [&](size_t block, const float *out) {
            size_t lanes = count - block * 16 < 16 ? count - block * 16 : 16;
            for (size_t lane = 0; lane < lanes; lane++)
                if (out[lane] > best.similarity) best = {int(block * 16 + lane), out[lane]};
        });
        return best;
    }

    /// Returns the nearest category, its score, and the margin to the next category. Each category has `per` templates. The
    /// nearest template of a category is found in single precision; its score is computed in double precision.
    Answer answer(const double *query, size_t per) const {
        scores.resize(blocks * 16);
        each_block(query, [&](size_t block, const float *out) { std::memcpy(&scores[block * 16], out, 64); });
        Best first{-1, -2}, second{-1, -2};
        for (size_t begin = 0; begin < count; begin += per) {
            size_t nearest = begin;
            for (size_t i = begin + 1; i < std::min(begin + per, count); i++)
                if (scores[i] > scores[nearest]) nearest = i;
            if (scores[nearest] > first.similarity) {
                second = first;
                first = {int(nearest), scores[nearest]};
            } else if (scores[nearest] > second.similarity) {
                second = {int(nearest), scores[nearest]};
            }
        }
        double score = this->score(query, first.index);
        return {int(size_t(first.index) / per), score, second.index < 0 ? score : score - this->score(query, second.index)};
    }

private:
    mutable std::vector<float> single, scores;

    /// Calls `body` with the index of every block and its sixteen similarities.
    template <class Body> void each_block(const double *query, Body body) const {
        std::vector<float> &q = single;
        q.resize(2 * points);
        for (size_t i = 0; i < 2 * points; i++) q[i] = float(query[i]);
        alignas(32) float out[16];
        for (size_t block = 0; block < blocks; block++) {
            const float *row = rows + block * points * 32;
            // Eight independent sums, so that no multiplication waits for the previous one.
            __m256 xx0 = _mm256_setzero_ps(), xx1 = xx0, yy0 = xx0, yy1 = xx0;
            __m256 xy0 = xx0, xy1 = xx0, yx0 = xx0, yx1 = xx0;
            for (size_t p = 0; p < points; p++, row += 32) {
                __m256 qx = _mm256_broadcast_ss(&q[2 * p]), qy = _mm256_broadcast_ss(&q[2 * p + 1]);
                __m256 x0 = _mm256_load_ps(row), x1 = _mm256_load_ps(row + 8);
                __m256 y0 = _mm256_load_ps(row + 16), y1 = _mm256_load_ps(row + 24);
                xx0 = _mm256_fmadd_ps(qx, x0, xx0);
                xx1 = _mm256_fmadd_ps(qx, x1, xx1);
                xy0 = _mm256_fmadd_ps(qx, y0, xy0);
                xy1 = _mm256_fmadd_ps(qx, y1, xy1);
                yy0 = _mm256_fmadd_ps(qy, y0, yy0);
                yy1 = _mm256_fmadd_ps(qy, y1, yy1);
                yx0 = _mm256_fmadd_ps(qy, x0, yx0);
                yx1 = _mm256_fmadd_ps(qy, x1, yx1);
            }
            _mm256_store_ps(out, similarity(_mm256_add_ps(xx0, yy0), _mm256_sub_ps(xy0, yx0)));
            _mm256_store_ps(out + 8, similarity(_mm256_add_ps(xx1, yy1), _mm256_sub_ps(xy1, yx1)));
            body(block, out);
        }
    }

    static double sum(__m256d v) {
        alignas(32) double lanes[4];
        _mm256_store_pd(lanes, v);
        return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
    }

    /// Returns 1 − 2·angle/π. For near vectors, the angle is computed from their distance.
    double score(const double *query, int index) const {
        const double *other = &exact[size_t(index) * points * 2];
        __m256d a0 = _mm256_setzero_pd(), a1 = a0, b0 = a0, b1 = a0;
        for (size_t i = 0; i < 2 * points; i += 8) {
            __m256d v0 = _mm256_loadu_pd(query + i), v1 = _mm256_loadu_pd(query + i + 4);
            __m256d w0 = _mm256_loadu_pd(other + i), w1 = _mm256_loadu_pd(other + i + 4);
            a0 = _mm256_fmadd_pd(v0, w0, a0);
            a1 = _mm256_fmadd_pd(v1, w1, a1);
            b0 = _mm256_fmadd_pd(v0, _mm256_permute_pd(w0, 5), b0);
            b1 = _mm256_fmadd_pd(v1, _mm256_permute_pd(w1, 5), b1);
        }
        const __m256d signs = _mm256_setr_pd(1, -1, 1, -1);
        double a = sum(_mm256_add_pd(a0, a1)), b = sum(_mm256_mul_pd(_mm256_add_pd(b0, b1), signs));
        double fit = std::sqrt(a * a + b * b), c = cos_tolerance, s = b < 0 ? -sin_tolerance : sin_tolerance;
        if (a >= fit * cos_tolerance) {
            c = fit > 0 ? a / fit : 1;
            s = fit > 0 ? b / fit : 0;
        }
        double similarity = a * c + b * s, squares = 2 - 2 * similarity;
        if (similarity >= 0.9) {
            squares = 0;
            for (size_t i = 0; i < 2 * points; i += 2) {
                double dx = query[i] * c - query[i + 1] * s - other[i], dy = query[i] * s + query[i + 1] * c - other[i + 1];
                squares += dx * dx + dy * dy;
            }
        }
        return std::max(0.0, 1 - 4 * std::asin(std::min(1.0, 0.5 * std::sqrt(std::max(squares, 0.0)))) / M_PI);
    }

    /// Returns the cosine of the angle at the best rotation within the tolerance.
    __m256 similarity(__m256 a, __m256 b) const {
        __m256 fit = _mm256_sqrt_ps(_mm256_fmadd_ps(a, a, _mm256_mul_ps(b, b)));
        __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), b);
        __m256 clamped =
            _mm256_fmadd_ps(a, _mm256_set1_ps(cosine), _mm256_mul_ps(size, _mm256_set1_ps(sine)));
        __m256 is_free = _mm256_cmp_ps(a, _mm256_mul_ps(fit, _mm256_set1_ps(cosine)), _CMP_GE_OQ);
        return _mm256_blendv_ps(clamped, fit, is_free);
    }
};
