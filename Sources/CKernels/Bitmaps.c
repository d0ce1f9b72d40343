#include "CKernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static unsigned most_in_common(const uint64_t *patterns, size_t count, uint64_t query) {
    unsigned most = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned common = (unsigned)__builtin_popcountll(patterns[i] & query);
        most = common > most ? common : most;
    }
    return most;
}

#if defined(__x86_64__)

// Counts the bits of each byte by looking up its two halves (Muła, Kurz, Lemire, "Faster population counts using AVX2
// instructions", The Computer Journal 2018).
__attribute__((target("avx2"))) static unsigned most_in_common_avx2(
    const uint64_t *patterns, size_t count, uint64_t query) {
    const __m256i table = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(0x0F), zero = _mm256_setzero_si256();
    const __m256i asked = _mm256_set1_epi64x((long long)query);
    __m256i most = zero;
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m256i a = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(patterns + i)), asked);
        const __m256i b = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(patterns + i + 4)), asked);
        const __m256i bytes_a = _mm256_add_epi8(
            _mm256_shuffle_epi8(table, _mm256_and_si256(a, low)),
            _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(a, 4), low)));
        const __m256i bytes_b = _mm256_add_epi8(
            _mm256_shuffle_epi8(table, _mm256_and_si256(b, low)),
            _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(b, 4), low)));
        // Each 64-bit lane contains the sum of its eight bytes. The sum is at most 64, so comparing bytes compares the sums.
        most = _mm256_max_epu8(most, _mm256_sad_epu8(bytes_a, zero));
        most = _mm256_max_epu8(most, _mm256_sad_epu8(bytes_b, zero));
    }
    uint64_t lanes[4];
    _mm256_storeu_si256((__m256i *)lanes, most);
    unsigned result = most_in_common(patterns + i, count - i, query);
    for (int lane = 0; lane < 4; lane++) result = lanes[lane] > result ? (unsigned)lanes[lane] : result;
    return result;
}

__attribute__((target("avx512f,avx512vpopcntdq"))) static unsigned most_in_common_avx512(
    const uint64_t *patterns, size_t count, uint64_t query) {
    const __m512i asked = _mm512_set1_epi64((long long)query);
    __m512i most = _mm512_setzero_si512(), other = most;
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const __m512i a = _mm512_and_si512(_mm512_loadu_si512(patterns + i), asked);
        const __m512i b = _mm512_and_si512(_mm512_loadu_si512(patterns + i + 8), asked);
        most = _mm512_max_epu64(most, _mm512_popcnt_epi64(a));
        other = _mm512_max_epu64(other, _mm512_popcnt_epi64(b));
    }
    const unsigned rest = most_in_common(patterns + i, count - i, query);
    const unsigned result = (unsigned)_mm512_reduce_max_epu64(_mm512_max_epu64(most, other));
    return rest > result ? rest : result;
}

#endif

unsigned pk_most_bits_in_common(const uint64_t *patterns, size_t count, uint64_t query) {
#if defined(__x86_64__)
    // Fewer than eight patterns do not fill a vector step, so the features of the processor do not matter.
    if (count >= 8) {
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq"))
            return most_in_common_avx512(patterns, count, query);
        if (__builtin_cpu_supports("avx2")) return most_in_common_avx2(patterns, count, query);
    }
#endif
    return most_in_common(patterns, count, query);
}

unsigned pk_most_bits_in_common_variant(int variant, const uint64_t *patterns, size_t count, uint64_t query) {
#if defined(__x86_64__)
    if (variant == 1 && __builtin_cpu_supports("avx2")) return most_in_common_avx2(patterns, count, query);
    if (variant == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq"))
        return most_in_common_avx512(patterns, count, query);
#endif
    return most_in_common(patterns, count, query);
}
