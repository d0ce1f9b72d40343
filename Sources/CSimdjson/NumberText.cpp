// Numbers as the shortest text that reads back as the same number: whole numbers digit by digit, the rest by the
// standard library's Ryū (Adams, "Ryū: fast float-to-string conversion", PLDI 2018).
#include "CSimdjson.h"

#include <charconv>
#include <cmath>

extern "C" {

size_t csj_write_int64(int64_t number, char *text) {
    return size_t(std::to_chars(text, text + CSJ_NUMBER_TEXT, number).ptr - text);
}

size_t csj_write_double(double number, char *text) {
    // to_chars would write 100000 as 1e+05, which is shorter but reads badly; −0 keeps its sign below.
    if (std::fabs(number) < 1e15) {
        int64_t whole = int64_t(number);
        if (double(whole) == number && (whole != 0 || !std::signbit(number))) return csj_write_int64(whole, text);
    }
    return size_t(std::to_chars(text, text + CSJ_NUMBER_TEXT, number).ptr - text);
}

size_t csj_write_tuples(
    const double *numbers, size_t count, size_t stride, const uint8_t *slots, size_t slot_count, char *text) {
    char *end = text;
    for (size_t i = 0; i < count; i++, numbers += stride) {
        for (size_t s = 0; s < slot_count; s++) {
            if (!std::isfinite(numbers[slots[s]])) return 0;
            end += csj_write_double(numbers[slots[s]], end);
            *end++ = ',';
        }
    }
    return size_t((end == text ? end : end - 1) - text);
}

} // extern "C"
