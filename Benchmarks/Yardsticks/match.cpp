// Matches queries against templates of 64 points. Both sides generate them from the same seed.
//
// usage: match TEMPLATES QUERIES ROUNDS
//
// An answer has the contents of a recognition: the gesture, its score, and its margin over the next gesture.
#include "protractor.h"
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
    size_t asks = argc > 2 ? size_t(std::atoll(argv[2])) : 64;
    int rounds = argc > 3 ? std::atoi(argv[3]) : 10;
    const size_t points = 64, queries = 64;
    Random random{1};
    std::vector<double> templates(count * points * 2), asked(queries * points * 2);
    for (size_t i = 0; i < count; i++) fill(random, &templates[i * points * 2], points * 2);
    for (size_t i = 0; i < queries; i++) fill(random, &asked[i * points * 2], points * 2);
    Protractor matcher(templates, count, points, 27 * M_PI / 180);
    // The templates are divided equally among sixteen gestures. The answer is a gesture.
    const size_t per = (count + 15) / 16;
    double check = 0;
    for (size_t i = 0; i < queries; i++) {
        Answer answer = matcher.answer(&asked[i * points * 2], per);
        check += double(i + 1) * (answer.category + 1000 * answer.score + 1000 * answer.margin);
    }
    double took = quickest(rounds, [&] {
        for (size_t i = 0; i < asks; i++) keep(matcher.answer(&asked[i % queries * points * 2], per));
    });
    report(took, double(asks), check);
}
