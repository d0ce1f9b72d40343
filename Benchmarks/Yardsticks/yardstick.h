// What the yardsticks share: time, files, and the one line that each prints.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <time.h>
#include <vector>

/// One sample of a pen, as large as the framework's.
struct Sample {
    double x, y, t, p;
};

inline double now_ns() {
    using namespace std::chrono;
    return double(duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count());
}

/// Processor time of this process: other programs on a busy machine do not count.
inline double processor_ns() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e9 + double(time.tv_nsec);
}

/// The processor time of the quickest of some calls, in nanoseconds.
template <class Body> double quickest(int rounds, Body body) {
    double least = 1e300;
    for (int i = 0; i < rounds; i++) {
        double began = processor_ns();
        body();
        least = std::min(least, processor_ns() - began);
    }
    return least;
}

/// Prints what the harness reads: nanoseconds an item, and a check that both sides must agree on.
inline void report(double nanoseconds, double items, double check) {
    std::printf("{\"ns\": %.4f, \"items\": %.0f, \"check\": %.10g}\n", nanoseconds / items, items, check);
}

[[noreturn]] inline void die(const char *what, const char *which = "") {
    std::fprintf(stderr, "%s %s\n", what, which);
    std::exit(1);
}

/// Says that everything is prepared, and waits for a line: from then on time is measured.
inline void wait_for_start() {
    std::puts("ready");
    std::fflush(stdout);
    while (true) {
        int c = std::getchar();
        if (c == '\n' || c == EOF) return;
    }
}

/// A whole file with `padding` zero bytes behind it.
inline std::string read_file(const char *path, size_t padding) {
    FILE *file = std::fopen(path, "rb");
    if (!file) die("cannot open", path);
    std::fseek(file, 0, SEEK_END);
    size_t size = size_t(std::ftell(file));
    std::rewind(file);
    std::string text(size + padding, '\0');
    if (std::fread(&text[0], 1, size, file) != size) die("cannot read", path);
    std::fclose(file);
    return text;
}

/// Seconds that one measurement should last.
inline double seconds_asked(int argc, char **argv, int index) { return index < argc ? std::atof(argv[index]) : 0.3; }

/// Keeps the compiler from dropping what nobody looks at.
template <class T> inline void keep(T const &value) { asm volatile("" : : "r,m"(value) : "memory"); }
