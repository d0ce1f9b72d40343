// Matches queries against templates of 64 points, both made from a seed that the other side uses too.
//
// usage: match TEMPLATES [SECONDS]
#include "protractor.h"
#include "yardstick.h"

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): the same numbers on both sides.
struct Random {
    uint64_t state;
    uint64_t next() {
        uint64_t z = state += 0x9E3779B97F4A7C15;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }
    double uniform() { return double(next() >> 11) * 0x1p-53 - 0.5; }
};

static void fill(Random &random, double *vector, size_t numbers) {
    double squares = 0;
    for (size_t i = 0; i < numbers; i++) {
        vector[i] = random.uniform();
        squares += vector[i] * vector[i];
    }
    for (size_t i = 0; i < numbers; i++) vector[i] /= std::sqrt(squares);
}

int main(int argc, char **argv) {
    size_t count = argc > 1 ? size_t(std::atoll(argv[1])) : 16;
    double seconds = seconds_asked(argc, argv, 2);
    const size_t points = 64, queries = 64;
    Random random{1};
    std::vector<double> templates(count * points * 2), asked(queries * points * 2);
    for (size_t i = 0; i < count; i++) fill(random, &templates[i * points * 2], points * 2);
    for (size_t i = 0; i < queries; i++) fill(random, &asked[i * points * 2], points * 2);
    Protractor matcher(templates, count, points, 27 * M_PI / 180);
    // Sixteen gestures with as many templates each: the answer is the gesture.
    const size_t per = (count + 15) / 16;
    double check = 0, done = 0;
    for (size_t i = 0; i < queries; i++) check += double(size_t(matcher.match(&asked[i * points * 2]).index) / per * (i + 1));
    double began = now_ns(), end = began + seconds * 1e9;
    do {
        for (size_t i = 0; i < queries; i++) keep(matcher.match(&asked[i * points * 2]).index);
        done += double(queries);
    } while (now_ns() < end);
    report(now_ns() - began, done, check);
}
