// The common parts of the yardsticks: time, files, and the line that each of them prints.
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

/// One sample of a pen, of the same size as the framework's.
struct Sample {
    double x, y, t, p;
};

inline double now_ns() {
    using namespace std::chrono;
    return double(duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count());
}

/// Returns the processor time of this process. Other programs on a busy machine do not affect it.
inline double processor_ns() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e9 + double(time.tv_nsec);
}

/// Returns the processor time of the fastest of several calls, in nanoseconds.
template <class Body> double quickest(int rounds, Body body) {
    double least = 1e300;
    for (int i = 0; i < rounds; i++) {
        double began = processor_ns();
        body();
        least = std::min(least, processor_ns() - began);
    }
    return least;
}

/// Prints the line that the harness reads: the nanoseconds per item, and a check value, which must be the same on both sides.
inline void report(double nanoseconds, double items, double check) {
    std::printf("{\"ns\": %.4f, \"items\": %.0f, \"check\": %.10g}\n", nanoseconds / items, items, check);
}

[[noreturn]] inline void die(const char *what, const char *which = "") {
    std::fprintf(stderr, "%s %s\n", what, which);
    std::exit(1);
}

/// Prints `ready`, and waits for a line. The harness measures the time from the moment at which it sends this line.
inline void wait_for_start() {
    std::puts("ready");
    std::fflush(stdout);
    while (true) {
        int c = std::getchar();
        if (c == '\n' || c == EOF) return;
    }
}

/// Returns the contents of a file, followed by `padding` zero bytes.
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

/// Returns the duration of one measurement in seconds, from the arguments.
inline double seconds_asked(int argc, char **argv, int index) { return index < argc ? std::atof(argv[index]) : 0.3; }

/// Prevents the compiler from removing the computation of a value that is not used otherwise.
template <class T> inline void keep(T const &value) { asm volatile("" : : "r,m"(value) : "memory"); }
