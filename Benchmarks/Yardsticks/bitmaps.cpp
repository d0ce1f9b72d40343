// Finds the nearest of many 8×8 bitmaps with a plain loop in AVX2. Both sides generate the bitmaps from the same seed.
//
// usage: bitmaps PATTERNS SCORE [SECONDS], with dice or overlap as the score
#include <immintrin.h>

#include "yardstick.h"

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). It generates the same numbers as the generator in Benchmarks/bench.
struct Random {
    uint64_t state;
    uint64_t next() {
        uint64_t z = state += 0x9E3779B97F4A7C15;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }
};

/// Returns the number of bits that are set in each of four numbers.
static inline __m256i bits(__m256i v) {
    const __m256i table = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(0x0F);
    const __m256i bytes = _mm256_add_epi8(
        _mm256_shuffle_epi8(table, _mm256_and_si256(v, low)),
        _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(v, 4), low)));
    return _mm256_sad_epu8(bytes, _mm256_setzero_si256());
}

static inline __m256i load(const uint64_t *from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from)); }

/// The patterns in library order. Their numbers of black cells are counted in advance, for dice.
struct Matcher {
    std::vector<uint64_t> patterns;
    std::vector<uint8_t> cells;
    bool is_dice;

    // The number of patterns per block. A first pass finds the first block with the best score, and a second pass finds the first
    // pattern with this score in the block.
    static const size_t block = 1024;

    size_t match(uint64_t query) const { return is_dice ? by_dice(query) : by_overlap(query); }

    size_t by_overlap(uint64_t query) const {
        unsigned best = 0;
        size_t where = 0;
        const __m256i asked = _mm256_set1_epi64x((long long)query);
        for (size_t begin = 0; begin < patterns.size(); begin += block) {
            __m256i most = _mm256_setzero_si256();
            for (size_t i = begin; i < begin + block; i += 4)
                most = _mm256_max_epu8(most, bits(_mm256_and_si256(load(&patterns[i]), asked)));
            alignas(32) uint64_t lanes[4];
            _mm256_store_si256(reinterpret_cast<__m256i *>(lanes), most);
            for (uint64_t lane : lanes)
                if (lane > best) best = unsigned(lane), where = begin;
        }
        for (size_t i = where;; i++)
            if (unsigned(__builtin_popcountll(patterns[i] & query)) == best) return i;
    }

    size_t by_dice(uint64_t query) const {
        float best = -1;
        size_t where = 0;
        const int drawn = __builtin_popcountll(query);
        const __m256i asked = _mm256_set1_epi64x((long long)query);
        const __m256i own = _mm256_set1_epi64x(drawn);
        for (size_t begin = 0; begin < patterns.size(); begin += block) {
            __m256 most = _mm256_set1_ps(-1);
            for (size_t i = begin; i < begin + block; i += 4) {
                const __m256i common = bits(_mm256_and_si256(load(&patterns[i]), asked));
                int four;
                std::memcpy(&four, &cells[i], 4);
                const __m256i sum = _mm256_add_epi64(_mm256_cvtepu8_epi64(_mm_cvtsi32_si128(four)), own);
                most = _mm256_max_ps(most, _mm256_div_ps(_mm256_cvtepi32_ps(common), _mm256_cvtepi32_ps(sum)));
            }
            alignas(32) float lanes[8];
            _mm256_store_ps(lanes, most);
            for (int lane = 0; lane < 8; lane += 2)
                if (lanes[lane] > best) best = lanes[lane], where = begin;
        }
        for (size_t i = where;; i++)
            if (float(__builtin_popcountll(patterns[i] & query)) / float(cells[i] + drawn) == best) return i;
    }
};

int main(int argc, char **argv) {
    // The number of patterns is a multiple of the block size, so that no loop has a remainder.
    const size_t count = argc > 1 ? size_t(std::atoll(argv[1])) / Matcher::block * Matcher::block : 1 << 20;
    const double seconds = seconds_asked(argc, argv, 3);
    const size_t queries = 64, gestures = 26, per = (count + gestures - 1) / gestures;
    Random random{1};
    Matcher matcher{{}, {}, argc > 2 && std::string(argv[2]) == "dice"};
    for (size_t i = 0; i < count; i++) {
        // About a third of the cells are black, as in letters.
        const uint64_t a = random.next(), b = random.next(), c = random.next();
        matcher.patterns.push_back(a & (b | c) & (random.next() | b));
        matcher.cells.push_back(uint8_t(__builtin_popcountll(matcher.patterns.back())));
    }
    std::vector<uint64_t> asked;
    for (size_t i = 0; i < queries; i++) {
        const uint64_t a = random.next(), b = random.next();
        asked.push_back(a & b);
    }
    double check = 0, done = 0;
    for (size_t i = 0; i < queries; i++) check += double(matcher.match(asked[i]) / per * (i + 1));
    const double began = now_ns(), end = began + seconds * 1e9;
    do {
        for (size_t i = 0; i < 8; i++) keep(matcher.match(asked[(size_t(done) + i) % queries]));
        done += 8;
    } while (now_ns() < end);
    report(now_ns() - began, done, check);
}
