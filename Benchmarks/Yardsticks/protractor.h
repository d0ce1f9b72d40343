// Protractor (Li, CHI 2010) with AVX2 and FMA: blocks of sixteen templates side by side, so that no sum runs across a
// vector.
#pragma once

#include <cmath>
#include <cstddef>
#include <immintrin.h>
#include <vector>

struct Best {
    int index;
    float similarity;
};

class Protractor {
    size_t points, count, blocks;
    float cosine, sine;
    float *rows;

public:
    /// `vectors` holds `count` unit vectors of x, y in turn.
    Protractor(const std::vector<double> &vectors, size_t count, size_t points, double tolerance_rad)
        : points(points), count(count), blocks((count + 15) / 16), cosine(float(std::cos(tolerance_rad))),
          sine(float(std::sin(tolerance_rad))) {
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

    Best match(const double *query) const {
        std::vector<float> &q = scratch;
        q.resize(2 * points);
        for (size_t i = 0; i < 2 * points; i++) q[i] = float(query[i]);
        Best best{-1, -2};
        alignas(32) float out[16];
        for (size_t block = 0; block < blocks; block++) {
            const float *row = rows + block * points * 32;
            // Eight sums, so that no multiplication waits for the one before.
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
            size_t lanes = count - block * 16 < 16 ? count - block * 16 : 16;
            for (size_t lane = 0; lane < lanes; lane++)
                if (out[lane] > best.similarity) best = {int(block * 16 + lane), out[lane]};
        }
        return best;
    }

private:
    mutable std::vector<float> scratch;

    /// The cosine of the angle at the best turn within the tolerance.
    __m256 similarity(__m256 a, __m256 b) const {
        __m256 fit = _mm256_sqrt_ps(_mm256_fmadd_ps(a, a, _mm256_mul_ps(b, b)));
        __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), b);
        __m256 clamped =
            _mm256_fmadd_ps(a, _mm256_set1_ps(cosine), _mm256_mul_ps(size, _mm256_set1_ps(sine)));
        __m256 is_free = _mm256_cmp_ps(a, _mm256_mul_ps(fit, _mm256_set1_ps(cosine)), _CMP_GE_OQ);
        return _mm256_blendv_ps(clamped, fit, is_free);
    }
};
