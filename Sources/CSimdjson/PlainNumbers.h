// Reads lists of numbers as most programs write points: few digits, no exponent. The digits are read directly from the text,
// several at a time.
#pragma once
#include "CSimdjson.h"

#include <cstdlib>
#include <cstring>

/// A list of numbers. Its memory is reused after `clear`.
class NumberBuffer {
public:
    NumberBuffer() = default;
    NumberBuffer(const NumberBuffer &) = delete;
    NumberBuffer &operator=(const NumberBuffer &) = delete;
    ~NumberBuffer() { std::free(numbers); }

    const double *data() const { return numbers; }
    size_t count() const { return count_; }
    void clear() { count_ = 0; }

    /// Returns false when there is no memory.
    bool append(double number) {
        if (count_ == capacity && !grow()) return false;
        numbers[count_++] = number;
        return true;
    }

    /// For callers that write many numbers themselves: the position at which to write the next number, and the end of the memory.
    /// Afterwards, `wrote` must be called with the position after the last number.
    double *next() { return numbers + count_; }
    double *end_of_room() { return numbers + capacity; }
    void wrote(const double *next) { count_ = size_t(next - numbers); }

    /// Allocates more memory. Returns false when there is none.
    bool grow() {
        size_t wanted = capacity ? 2 * capacity : 1024;
        auto *memory = static_cast<double *>(std::realloc(numbers, wanted * sizeof(double)));
        if (!memory) return false;
        numbers = memory;
        capacity = wanted;
        return true;
    }

private:
    double *numbers = nullptr;
    size_t count_ = 0, capacity = 0;
};

/// Reads lists of plain numbers: digits, at most one decimal point, no exponent, and no more digits than a double can distinguish.
///
/// An integer of up to 2^53 and a power of ten of up to 10^22 are exact doubles. Their quotient is rounded only once and is
/// therefore the double nearest to the decimal: Clinger, "How to read floating point numbers accurately", PLDI 1990.
class PlainNumbers {
    friend class PlainCursor;
    friend class PlainTable;

    /// The length of the longest plain number, including its decimal point.
    static constexpr ptrdiff_t most_text = 18;
    static_assert(most_text + 2 * 8 + 2 <= CSJ_PADDING, "a number is never read beyond the padding");

    /// The number of leading digits that were found last in eight characters. `end` marks the first character that is not a digit.
    ///
    /// Adjacent numbers mostly have equally many decimals. Comparing `end` first, instead of counting the digits each time, lets
    /// the processor continue speculatively with the next number.
    struct Usual {
        uint64_t end = 0;
        int count = 8;
        int shift = 0;
        uint64_t power = 100000000;

        __attribute__((noinline)) void learn(uint64_t found) {
            static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
            end = found;
            count = found ? __builtin_ctzll(found) >> 3 : 8;
            shift = 64 - 8 * count;
            power = powers[count];
        }
    };

public:
    /// Reads a list from the position after its opening bracket to its closing bracket. Returns false if the list is empty or
    /// contains anything but plain numbers; it must then be read with the general parser. `CSJ_PADDING` bytes after `end` must be
    /// readable.
    static bool read(const char *at, const char *end, NumberBuffer &numbers) { return read_to_end(at, end, numbers); }

    /// Does the same as `read`, and moves `at` to the closing bracket.
    static bool read_to_end(const char *&at, const char *end, NumberBuffer &numbers) {
        Usual usual;
        return read_list(at, end, numbers, usual);
    }

    /// Reads a number and moves past it. Returns false if it is not plain. The caller must check that the next character does not
    /// continue the number.
    static bool read_one(const char *&at, double &number) {
        Usual usual;
        return read(at, number, usual);
    }

private:
    /// Reads a list and moves `at` to its closing bracket.
    __attribute__((always_inline)) static bool read_list(
        const char *&at, const char *end, NumberBuffer &numbers, Usual &usual) {
        double *next = numbers.next(), *room = numbers.end_of_room();
        while (true) {
            at = skip_space(at, end);
            if (next == room) {
                numbers.wrote(next);
                if (!numbers.grow()) return false;
                next = numbers.next();
                room = numbers.end_of_room();
            }
            if (!read(at, *next, usual)) return false;
            next++;
            at = skip_space(at, end);
            // The character at `at` may be in the padding, which is not part of the text.
            if (at >= end) return false;
            if (*at != ',') break;
            at++;
        }
        numbers.wrote(next);
        return *at == ']';
    }

    __attribute__((always_inline)) static const char *skip_space(const char *at, const char *end) {
        // There is usually no white space.
        if (__builtin_expect(uint8_t(*at) > ' ', 1)) return at;
        while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) at++;
        return at;
    }

    /// Reads a number and moves past it. Returns false if it is not plain. Stops before a digit that cannot continue the number,
    /// such as the 1 in 01. Callers fail there, because a number must be followed by something other than a digit.
    __attribute__((always_inline)) static bool read(const char *&text, double &number, Usual &usual) {
        static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7, 1e8,
                                        1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};
        static const double signs[] = {1, -1};
        const char *at = text;
        bool is_negative = *at == '-';
        at += is_negative;
        const char *first = at;
        uint64_t digits = uint64_t(uint8_t(*at++)) - '0';
        if (digits > 9) return false;
        if (digits != 0) {
            for (uint64_t digit; at - first < most_text && (digit = uint64_t(uint8_t(*at)) - '0') <= 9; at++) {
                digits = digits * 10 + digit;
            }
        }
        int decimals = 0;
        if (*at == '.') {
            decimals = append_decimals(++at, digits, usual);
            if (decimals == 0) return false;
            if (decimals == 8) decimals += append_decimals(at + 8, digits, usual);
            at += decimals;
        }
        // `digits` cannot have overflowed if the number is not longer than `most_text`.
        if (at - first > most_text || digits > uint64_t(1) << 53) return false;
        number = double(int64_t(digits)) / powers[decimals] * signs[is_negative];
        text = at;
        return true;
    }

    /// Appends the digits at the start of eight characters to `number`. Returns how many digits were appended.
    __attribute__((always_inline)) static int append_decimals(const char *text, uint64_t &number, Usual &usual) {
        uint64_t eight = load_eight(text) ^ 0x3030303030303030;
        // Sets the high bit of every byte above 9, which was not a digit. There is no carry into the next byte.
        uint64_t others = (((eight & 0x7F7F7F7F7F7F7F7F) + 0x7676767676767676) | eight) & 0x8080808080808080;
        uint64_t end = others & (0 - others);
        if (__builtin_expect(end != usual.end, 0)) usual.learn(end);
        if (usual.count == 0) return 0;
        // Shifts out everything after the digits, so that zeros precede them. Then combines neighbors: digits to numbers of two
        // digits, of four and of eight.
        eight <<= usual.shift;
        eight = (eight * 10 + (eight >> 8)) & 0x00FF00FF00FF00FF;
        eight = (eight * 100 + (eight >> 16)) & 0x0000FFFF0000FFFF;
        eight = (eight * 10000 + (eight >> 32)) & 0x00000000FFFFFFFF;
        number = number * usual.power + eight;
        return usual.count;
    }

    /// Returns eight characters, with the first in the lowest byte.
    static uint64_t load_eight(const char *text) {
        uint64_t eight;
        std::memcpy(&eight, text, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        eight = __builtin_bswap64(eight);
#endif
        return eight;
    }
};
