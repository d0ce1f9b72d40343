// Writes numbers as the shortest text that reads back as the same number. Numbers with few decimals are written digit by digit, and
// all others with the standard library's Ryū (Adams, "Ryū: fast float-to-string conversion", PLDI 2018).
#include "CSimdjson.h"

#include <charconv>
#include <cmath>
#include <cstring>

extern "C" {

size_t csj_write_int64(int64_t number, char *text) {
    return size_t(std::to_chars(text, text + CSJ_NUMBER_TEXT, number).ptr - text);
}

size_t csj_write_double(double number, char *text) {
    double magnitude = std::fabs(number);
    if (magnitude == 0 && std::signbit(number)) {
        // Many programs read -0 as an integer, which then loses its sign.
        std::memcpy(text, "-0.0", 4);
        return 4;
    }
    if (magnitude < 1e9) {
        // Pens and screens send numbers with few decimals. If six decimals are enough, the number is m/10⁶ rounded, with m below
        // 10¹⁵. No two decimals of at most 15 digits are the same double, so no shorter text reads back as this number.
        double millionths = std::nearbyint(magnitude * 1e6);
        if (millionths / 1e6 == magnitude) {
            uint64_t m = uint64_t(millionths);
            char *end = text;
            if (number < 0) *end++ = '-';
            end = std::to_chars(end, text + CSJ_NUMBER_TEXT, m / 1000000).ptr;
            uint32_t fraction = uint32_t(m % 1000000);
            if (fraction == 0) return size_t(end - text);
            *end++ = '.';
            for (uint32_t digit = 100000; fraction != 0; digit /= 10) {
                *end++ = char('0' + fraction / digit);
                fraction %= digit;
            }
            return size_t(end - text);
        }
    } else if (magnitude < 1e15) {
        // to_chars would write 1000000000 as 1e+09, which is shorter but hard to read.
        int64_t whole = int64_t(number);
        if (double(whole) == number) return csj_write_int64(whole, text);
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
