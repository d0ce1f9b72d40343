// Decodes JSON Lines of strokes or hands from memory, line by line, into one struct that is reused.
//
// usage: decode strokes|hands FILE ROUNDS
#include "strokes.h"

int main(int argc, char **argv) {
    if (argc < 3) die("usage: decode strokes|hands FILE ROUNDS");
    bool is_hands = std::string_view(argv[1]) == "hands";
    std::string text = read_file(argv[2], SIMDJSON_PADDING);
    const char *end = text.data() + text.size() - SIMDJSON_PADDING;
    int rounds = argc > 3 ? std::atoi(argv[3]) : 2;
    Decoder decoder;
    Stroke stroke;
    Hands hands;
    double lines = 0, check = 0;
    double took = quickest(rounds, [&] {
        lines = check = 0;
        for (const char *line = text.data(); line < end;) {
            const char *feed = static_cast<const char *>(std::memchr(line, '\n', size_t(end - line)));
            if (!feed) feed = end;
            if (is_hands) {
                decoder.hands(line, size_t(feed - line), hands);
                for (auto &hand : hands.hands) check += hand.points.back().y;
            } else {
                decoder.stroke(line, size_t(feed - line), stroke);
                check += stroke.samples.back().y;
            }
            line = feed + 1;
            lines++;
        }
    });
    report(took, lines, check);
}
