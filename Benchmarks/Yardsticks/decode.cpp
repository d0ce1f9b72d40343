// Decodes JSON Lines of strokes or hands that lie in memory, line by line, into one struct that is used again.
//
// usage: decode strokes|hands FILE [SECONDS]
#include "strokes.h"

int main(int argc, char **argv) {
    if (argc < 3) die("usage: decode strokes|hands FILE [SECONDS]");
    bool is_hands = std::string_view(argv[1]) == "hands";
    std::string text = read_file(argv[2], SIMDJSON_PADDING);
    const char *end = text.data() + text.size() - SIMDJSON_PADDING;
    double seconds = seconds_asked(argc, argv, 3);
    Decoder decoder;
    Stroke stroke;
    Hands hands;
    double lines = 0, check = 0, began = now_ns(), stop = began + seconds * 1e9;
    do {
        check = 0;
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
    } while (now_ns() < stop);
    report(now_ns() - began, lines, check);
}
