// The whole job with method `cloud` as one plain program: strokes in JSON Lines → features → match → labels. Both sides compute the
// distances with the same C kernels, so the comparison measures everything around them. There is one template per label, at most 64
// templates, and each gesture is one stroke.
//
// usage: recognize_cloud TEMPLATES STROKES > LABELS
#include "lines.h"
#include "strokes.h"

#include "CKernels.h"

namespace {

struct Gesture {
    std::string name;
    std::vector<float> features;
};

/// Computes the features of a stroke, without rotation.
void features(const std::vector<Sample> &samples, float *out) {
    static double even[PK_CLOUD_EVEN];
    size_t end = samples.size();
    pk_cloud_even(&samples[0].x, sizeof(Sample) / sizeof(double), &end, 1, even);
    pk_cloud_features(even, 1, 0, out);
}

float fused(float shape, float way) { return (shape + std::min(way, 0.5f)) / 2; }

/// The templates, consecutive in memory and aligned to 64 bytes for the kernels.
class Matcher {
    size_t count;
    float *templates;
    std::vector<uint32_t> all;
    std::vector<float> shapes, limits;
    float reversed[PK_CLOUD_REVERSED];

public:
    explicit Matcher(const std::vector<Gesture> &gestures) : count(gestures.size()) {
        size_t bytes = count * PK_CLOUD_FEATURES * sizeof(float);
        templates = static_cast<float *>(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
        for (size_t i = 0; i < count; i++) {
            std::copy(gestures[i].features.begin(), gestures[i].features.end(), templates + i * PK_CLOUD_FEATURES);
            all.push_back(uint32_t(i));
        }
        shapes.resize(count);
        learn();
    }

    ~Matcher() { std::free(templates); }

    /// Learns the limits as in `CloudLimits`: each is the geometric mean of two distances, the usual distance between samples of
    /// one gesture and the distance to the nearest other gesture.
    void learn() {
        std::vector<float> ways(count);
        for (size_t i = 0; i < count; i++) {
            const float *query = templates + i * PK_CLOUD_FEATURES;
            pk_cloud_shapes(query, templates, all.data(), count, shapes.data());
            pk_cloud_reversed(query, reversed);
            pk_cloud_warps(reversed, templates, all.data(), count, ways.data());
            float nearest = INFINITY;
            for (size_t j = 0; j < count; j++)
                if (j != i) nearest = std::min(nearest, fused(shapes[j], ways[j]));
            limits.push_back(float(0.93 * std::min(0.42, std::sqrt(0.16 * double(nearest)))));
        }
    }

    /// Returns the index of the nearest gesture, or -1 for None. Paths are compared only if they can change the result.
    int match(const float *query) {
        pk_cloud_shapes(query, templates, all.data(), count, shapes.data());
        float most = INFINITY;
        for (float shape : shapes) most = std::min(most, fused(shape, INFINITY));
        pk_cloud_reversed(query, reversed);
        float nearest = INFINITY;
        int best = -1;
        for (size_t i = 0; i < count; i++) {
            if (shapes[i] / 2 > std::min(most, nearest)) continue;
            uint32_t which = uint32_t(i);
            float way;
            pk_cloud_warps(reversed, templates, &which, 1, &way);
            float distance = fused(shapes[i], way);
            if (distance < nearest) nearest = distance, best = int(i);
        }
        return best >= 0 && nearest <= limits[size_t(best)] ? best : -1;
    }
};

} // namespace

int main(int argc, char **argv) {
    if (argc < 3) die("usage: recognize_cloud TEMPLATES STROKES");
    Decoder decoder;
    Stroke stroke;
    std::vector<Gesture> gestures;
    each_line(argv[1], [&](const char *line, size_t length) {
        decoder.stroke(line, length, stroke);
        gestures.push_back({stroke.label, std::vector<float>(PK_CLOUD_FEATURES)});
        features(stroke.samples, gestures.back().features.data());
    });
    Matcher matcher(gestures);
    alignas(64) static float query[PK_CLOUD_FEATURES];
    std::vector<char> output(1 << 16);
    std::setvbuf(stdout, output.data(), _IOFBF, output.size());
    each_line(argv[2], [&](const char *line, size_t length) {
        decoder.stroke(line, length, stroke);
        features(stroke.samples, query);
        int best = matcher.match(query);
        const std::string none = "None";
        const std::string &name = best >= 0 ? gestures[size_t(best)].name : none;
        std::fwrite(name.data(), 1, name.size(), stdout);
        std::putc('\n', stdout);
    });
    return std::fflush(stdout) ? 1 : 0;
}
