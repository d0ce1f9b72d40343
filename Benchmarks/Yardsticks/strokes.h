// Decodes strokes and hands from canonical JSON Lines into structs, with simdjson's on-demand parser.
#pragma once

#include "yardstick.h"

#include <simdjson.h>
#include <string_view>

using namespace simdjson;

/// The contents of a line.
struct Stroke {
    int64_t time = 0, start = 0, sequence = 0;
    std::string stream, label, subject;
    bool has_time = false;
    std::vector<Sample> samples;
};

struct Place {
    double x, y, z;
};

struct Hand {
    std::string topology, space, handedness;
    double score = 0;
    std::vector<Place> points;
};

struct Hands {
    int64_t time = 0, sequence = 0;
    std::string stream;
    std::vector<Hand> hands;
};

class Decoder {
    ondemand::parser parser;
    std::vector<double> numbers;

    static void check(error_code error, const char *what) {
        if (error) die(what, error_message(error));
    }

    void read_numbers(ondemand::value value) {
        numbers.clear();
        ondemand::array array;
        check(value.get_array().get(array), "array");
        for (auto element : array) {
            double number;
            check(element.get_double().get(number), "number");
            numbers.push_back(number);
        }
    }

    static std::string_view text(ondemand::value value) {
        std::string_view view;
        check(value.get_string().get(view), "string");
        return view;
    }

    static int64_t integer(ondemand::value value) {
        int64_t number;
        check(value.get_int64().get(number), "integer");
        return number;
    }

    /// The positions of x, y, z, t and p among the numbers of a point; −1 for a field that points do not have.
    struct Layout {
        int place[5];
        int width = 0;
        explicit Layout(std::string_view letters) : place{-1, -1, -1, -1, -1} {
            for (char letter : letters) {
                const char *all = "xyztp";
                const char *found = std::strchr(all, letter);
                if (!found) die("fields");
                place[found - all] = width++;
            }
        }
    };

public:
    /// Decodes one line with a stroke. SIMDJSON_PADDING bytes after it must be readable.
    void stroke(const char *line, size_t length, Stroke &stroke) {
        ondemand::document document;
        ondemand::object object;
        check(parser.iterate(line, length, length + SIMDJSON_PADDING).get(document), "iterate");
        check(document.get_object().get(object), "object");
        char fields[8] = "";
        stroke.label.clear();
        stroke.subject.clear();
        for (auto field : object) {
            std::string_view key;
            check(field.unescaped_key().get(key), "key");
            ondemand::value value = field.value();
            if (key == "v") {
                if (integer(value) != 1) die("version");
            } else if (key == "kind") {
                if (text(value) != "stroke") die("kind");
            } else if (key == "stream") {
                stroke.stream = text(value);
            } else if (key == "seq") {
                stroke.sequence = integer(value);
            } else if (key == "t_us") {
                stroke.time = integer(value);
            } else if (key == "start_us") {
                stroke.start = integer(value);
            } else if (key == "fields") {
                auto letters = text(value);
                std::memcpy(fields, letters.data(), std::min<size_t>(letters.size(), 5));
                fields[std::min<size_t>(letters.size(), 5)] = 0;
            } else if (key == "pts") {
                read_numbers(value);
            } else if (key == "label") {
                stroke.label = text(value);
            } else if (key == "subject") {
                stroke.subject = text(value);
            }
        }
        Layout layout(fields);
        if (numbers.size() % size_t(layout.width)) die("count");
        size_t count = numbers.size() / size_t(layout.width);
        stroke.has_time = layout.place[3] >= 0;
        stroke.samples.resize(count);
        const double *point = numbers.data();
        for (size_t i = 0; i < count; i++, point += layout.width) {
            stroke.samples[i] = {
                point[layout.place[0]], point[layout.place[1]], layout.place[3] < 0 ? 0 : point[layout.place[3]],
                layout.place[4] < 0 ? 0 : point[layout.place[4]]};
        }
    }

    /// Decodes one line with hands. SIMDJSON_PADDING bytes after it must be readable.
    void hands(const char *line, size_t length, Hands &hands) {
        ondemand::document document;
        ondemand::object object;
        check(parser.iterate(line, length, length + SIMDJSON_PADDING).get(document), "iterate");
        check(document.get_object().get(object), "object");
        size_t count = 0;
        for (auto field : object) {
            std::string_view key;
            check(field.unescaped_key().get(key), "key");
            ondemand::value value = field.value();
            if (key == "v") {
                if (integer(value) != 1) die("version");
            } else if (key == "kind") {
                if (text(value) != "hands") die("kind");
            } else if (key == "stream") {
                hands.stream = text(value);
            } else if (key == "seq") {
                hands.sequence = integer(value);
            } else if (key == "t_us") {
                hands.time = integer(value);
            } else if (key == "hands") {
                ondemand::array array;
                check(value.get_array().get(array), "hands");
                for (auto element : array) {
                    ondemand::object inner;
                    check(element.get_object().get(inner), "hand");
                    if (hands.hands.size() == count) hands.hands.emplace_back();
                    hand(inner, hands.hands[count++]);
                }
            }
        }
        hands.hands.resize(count);
    }

private:
    void hand(ondemand::object &object, Hand &hand) {
        char fields[8] = "";
        for (auto field : object) {
            std::string_view key;
            check(field.unescaped_key().get(key), "key");
            ondemand::value value = field.value();
            if (key == "topology") {
                hand.topology = text(value);
            } else if (key == "space") {
                hand.space = text(value);
            } else if (key == "handedness") {
                hand.handedness = text(value);
            } else if (key == "score") {
                check(value.get_double().get(hand.score), "score");
            } else if (key == "fields") {
                auto letters = text(value);
                std::memcpy(fields, letters.data(), std::min<size_t>(letters.size(), 5));
                fields[std::min<size_t>(letters.size(), 5)] = 0;
            } else if (key == "pts") {
                read_numbers(value);
            }
        }
        Layout layout(fields);
        if (numbers.size() % size_t(layout.width)) die("count");
        size_t count = numbers.size() / size_t(layout.width);
        hand.points.resize(count);
        const double *point = numbers.data();
        for (size_t i = 0; i < count; i++, point += layout.width) {
            hand.points[i] = {
                point[layout.place[0]], point[layout.place[1]], layout.place[2] < 0 ? 0 : point[layout.place[2]]};
        }
    }
};
