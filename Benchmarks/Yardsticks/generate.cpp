// Writes strokes, hands or points as canonical JSON Lines. The output is the same on every machine.
//
// usage: generate templates|strokes|hands|points COUNT
//
// There are sixteen shapes: smooth curves that are sums of a few sine waves. A stroke is one of the shapes, moved, scaled, slightly
// rotated, with noise. A stroke has 50 to 80 samples with two decimals, one every 8 ms. A hand has 21 landmarks with six decimals.
// Points come from four pens in turn, one point per message, every 5 ms.
#include "yardstick.h"

#include <cmath>

namespace {

struct Random {
    uint64_t state;
    uint64_t next() {
        uint64_t z = state += 0x9E3779B97F4A7C15;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }
    /// Returns a uniformly distributed number from `low` to `high`.
    double uniform(double low, double high) { return low + (high - low) * (double(next() >> 11) * 0x1p-53); }
};

constexpr int shapes = 16, waves = 3;

struct Shape {
    double x[waves], y[waves], phase_x[waves], phase_y[waves];
};

Shape shape(int index) {
    Random random{uint64_t(1000 + index)};
    Shape shape;
    for (int i = 0; i < waves; i++) {
        shape.x[i] = random.uniform(-1, 1) / (i + 1);
        shape.y[i] = random.uniform(-1, 1) / (i + 1);
        shape.phase_x[i] = random.uniform(0, 6.28);
        shape.phase_y[i] = random.uniform(0, 6.28);
    }
    return shape;
}

void stroke(Random &random, int64_t sequence, int which, bool is_template, int64_t &time) {
    Shape s = shape(which);
    int count = is_template ? 64 : int(random.uniform(50, 81));
    double turn = is_template ? 0 : random.uniform(-0.2, 0.2), size = random.uniform(80, 300);
    double cx = random.uniform(300, 1500), cy = random.uniform(300, 900), shake = is_template ? 0 : 0.03;
    int64_t start = time;
    time += count * 8000;
    std::printf(
        "{\"v\":1,\"kind\":\"stroke\",\"stream\":\"pen/1\",\"seq\":%lld,\"t_us\":%lld,\"start_us\":%lld,"
        "\"fields\":\"xyt\",\"pts\":[",
        (long long)sequence, (long long)(start + (count - 1) * 8000), (long long)start);
    for (int i = 0; i < count; i++) {
        double along = 5.5 * i / (count - 1), x = 0, y = 0;
        for (int w = 0; w < waves; w++) {
            x += s.x[w] * std::sin((w + 1) * along + s.phase_x[w]);
            y += s.y[w] * std::sin((w + 1) * along + s.phase_y[w]);
        }
        x += random.uniform(-shake, shake);
        y += random.uniform(-shake, shake);
        double px = cx + size * (x * std::cos(turn) - y * std::sin(turn));
        double py = cy + size * (x * std::sin(turn) + y * std::cos(turn));
        std::printf("%s%.2f,%.2f,%d", i ? "," : "", px, py, i * 8000);
    }
    std::printf("],\"label\":\"shape%02d\"}\n", which);
    time += 250000;
}

void hands(Random &random, int64_t sequence) {
    int count = random.uniform(0, 1) < 0.5 ? 1 : 2;
    std::printf(
        "{\"v\":1,\"kind\":\"hands\",\"stream\":\"hand\",\"seq\":%lld,\"t_us\":%lld,\"hands\":[", (long long)sequence,
        (long long)(sequence * 33333));
    for (int h = 0; h < count; h++) {
        std::printf("%s{\"topology\":\"hand21\",\"space\":\"normalized\",\"fields\":\"xyz\",\"pts\":[", h ? "," : "");
        for (int i = 0; i < 21; i++)
            std::printf(
                "%s%.6f,%.6f,%.6f", i ? "," : "", random.uniform(0, 1), random.uniform(0, 1), random.uniform(-0.2, 0.2));
        std::printf("],\"handedness\":\"%s\",\"score\":%.4f}", h ? "Right" : "Left", random.uniform(0.5, 1));
    }
    std::printf("]}\n");
}

void points(Random &random, int64_t sequence) {
    double x = random.uniform(0, 2000), y = random.uniform(0, 1000);
    std::printf(
        "{\"v\":1,\"kind\":\"points\",\"stream\":\"pen/%d\",\"seq\":%lld,\"t_us\":%lld,\"phase\":\"move\",\"fields\":\"xy\",\"pts\":[%.0f,%.0f]}\n",
        int(sequence % 4) + 1, (long long)(sequence / 4), (long long)(sequence * 5000), x, y);
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 3) die("usage: generate templates|strokes|hands|points COUNT");
    std::string what = argv[1];
    int64_t count = std::atoll(argv[2]), time = 0;
    Random random{uint64_t(what == "templates" ? 7 : 42)};
    static char buffer[1 << 16];
    std::setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    for (int64_t i = 0; i < count; i++) {
        if (what == "hands")
            hands(random, i);
        else if (what == "points")
            points(random, i);
        else if (what == "templates")
            stroke(random, i, int(i % shapes), true, time);
        else
            stroke(random, i, int(random.next() % shapes), false, time);
    }
    return std::fflush(stdout) ? 1 : 0;
}
