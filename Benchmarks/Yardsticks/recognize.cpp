// The whole job as one plain program: strokes in JSON Lines → resample 64 → normalize → vectorize → match → labels.
// It reads its input in large pieces, keeps one stroke at a time, and reuses all memory.
//
// usage: recognize TEMPLATES STROKES > LABELS
#include "lines.h"
#include "protractor.h"
#include "strokes.h"

namespace {

constexpr size_t points = 64;

/// Step 1 of the $1 recognizer (Wobbrock, Wilson, Li, UIST 2007). Points are placed by their distance from the beginning.
void resample(const std::vector<Sample> &in, std::vector<double> &lengths, Sample *out) {
    size_t count = in.size();
    lengths.resize(count);
    double total = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        double dx = in[i + 1].x - in[i].x, dy = in[i + 1].y - in[i].y;
        total += lengths[i] = std::sqrt(dx * dx + dy * dy);
    }
    double step = total / double(points - 1), before = 0;
    size_t piece = 0;
    out[0] = in[0];
    for (size_t k = 1; k + 1 < points; k++) {
        double target = step * double(k);
        while (piece + 2 < count && before + lengths[piece] < target) before += lengths[piece++];
        if (count < 2 || lengths[piece] <= 0) {
            out[k] = in[piece];
            continue;
        }
        double share = std::min(std::max((target - before) / lengths[piece], 0.0), 1.0);
        const Sample &a = in[piece], &b = in[piece + 1];
        out[k] = {
            a.x + share * (b.x - a.x), a.y + share * (b.y - a.y), a.t + share * (b.t - a.t),
            a.p + share * (b.p - a.p)};
    }
    out[points - 1] = in[count - 1];
}

/// Moves the centroid to the origin and scales the bounding box to a square of side 250. A line keeps its aspect ratio.
void normalize(Sample *stroke) {
    double sum_x = 0, sum_y = 0, min_x = INFINITY, max_x = -INFINITY, min_y = INFINITY, max_y = -INFINITY;
    for (size_t i = 0; i < points; i++) {
        sum_x += stroke[i].x;
        sum_y += stroke[i].y;
        min_x = std::min(min_x, stroke[i].x);
        max_x = std::max(max_x, stroke[i].x);
        min_y = std::min(min_y, stroke[i].y);
        max_y = std::max(max_y, stroke[i].y);
    }
    double x = sum_x / points, y = sum_y / points, width = max_x - min_x, height = max_y - min_y;
    double longer = std::max(width, height), shorter = std::min(width, height);
    double scale_x = 1, scale_y = 1;
    if (longer > 1e-150) {
        bool is_line = shorter <= 1e-150 || shorter / longer <= 0.2;
        scale_x = 250 / (is_line ? longer : width);
        scale_y = 250 / (is_line ? longer : height);
    }
    for (size_t i = 0; i < points; i++) {
        stroke[i].x = (stroke[i].x - x) * scale_x;
        stroke[i].y = (stroke[i].y - y) * scale_y;
    }
}

bool vectorize(const Sample *stroke, double *vector) {
    double squares = 0;
    for (size_t i = 0; i < points; i++) {
        vector[2 * i] = stroke[i].x;
        vector[2 * i + 1] = stroke[i].y;
        squares += stroke[i].x * stroke[i].x + stroke[i].y * stroke[i].y;
    }
    if (!(squares > 1e-290)) return false;
    double scale = 1 / std::sqrt(squares);
    for (size_t i = 0; i < 2 * points; i++) vector[i] *= scale;
    return true;
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 3) die("usage: recognize TEMPLATES STROKES");
    Decoder decoder;
    Stroke stroke;
    std::vector<double> lengths, vectors;
    std::vector<std::string> names;
    Sample work[points];
    double vector[2 * points];
    each_line(argv[1], [&](const char *line, size_t length) {
        decoder.stroke(line, length, stroke);
        resample(stroke.samples, lengths, work);
        normalize(work);
        if (!vectorize(work, vector)) die("template without extent");
        vectors.insert(vectors.end(), vector, vector + 2 * points);
        names.push_back(stroke.label);
    });
    Protractor matcher(vectors, names.size(), points, 27 * M_PI / 180);
    const float lowest = float(std::cos(0.4));
    std::vector<char> output(1 << 16);
    std::setvbuf(stdout, output.data(), _IOFBF, output.size());
    each_line(argv[2], [&](const char *line, size_t length) {
        decoder.stroke(line, length, stroke);
        resample(stroke.samples, lengths, work);
        normalize(work);
        if (!vectorize(work, vector)) die("stroke without extent");
        Best best = matcher.match(vector);
        const std::string none = "None";
        const std::string &name = best.similarity >= lowest ? names[size_t(best.index)] : none;
        std::fwrite(name.data(), 1, name.size(), stdout);
        std::putc('\n', stdout);
    });
    return std::fflush(stdout) ? 1 : 0;
}
