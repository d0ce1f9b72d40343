// Reads the lines of a file in large pieces.
#pragma once

#include "yardstick.h"

#include <cmath>

#include <simdjson.h>

/// Calls `body` with every line of a file, read a megabyte at a time.
template <class Body> void each_line(const char *path, Body body) {
    FILE *file = std::fopen(path, "rb");
    if (!file) die("cannot open", path);
    size_t room = 1 << 20, held = 0;
    std::vector<char> buffer(room + simdjson::SIMDJSON_PADDING);
    while (true) {
        if (held == room) {
            room *= 2;
            buffer.resize(room + simdjson::SIMDJSON_PADDING);
        }
        size_t got = std::fread(buffer.data() + held, 1, room - held, file);
        size_t filled = held + got, from = 0;
        while (from < filled) {
            auto *feed = static_cast<char *>(std::memchr(buffer.data() + from, '\n', filled - from));
            if (!feed && got > 0) break;
            size_t end = feed ? size_t(feed - buffer.data()) : filled;
            if (end > from) body(buffer.data() + from, end - from);
            from = end + 1;
        }
        if (got == 0) break;
        held = filled - std::min(from, filled);
        std::memmove(buffer.data(), buffer.data() + from, held);
    }
    std::fclose(file);
}
