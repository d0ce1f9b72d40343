// Reads points in the shapes that programs use besides a flat list: a list of lists, a list of objects, an object of lists, or an
// object of objects.
#pragma once
#include "PlainNumbers.h"

/// Reads a value that contains rows of equally many plain numbers, in one pass over the text.
class PlainTable {
public:
    /// Reads the value that begins at `at`: a list of rows, or an object of rows with the keys in `names`, in that order. The
    /// object may end before the last of these keys; see `csj_read_table`. Returns the position after the value, or NULL if the
    /// value is anything else. `CSJ_PADDING` bytes after `end` must be readable.
    const char *read(
        const char *at, const char *end, const uint8_t *names, size_t length, NumberBuffer &numbers, csj_table &table) {
        bool is_object = *at == '{';
        if (!is_object && *at != '[') return nullptr;
        const uint8_t *names_end = names + length;
        char closing = is_object ? '}' : ']';
        Usual usual;
        table = {};
        at = skip_space(at + 1, end);
        while (at < end) {
            if (is_object) {
                if (names == names_end || !pass_key(at, end, reinterpret_cast<const char *>(names + 1), *names)) return nullptr;
                names += 1 + *names;
            }
            size_t before = numbers.count();
            bool is_list = *at == '[';
            if (table.rows == 0) table.has_columns = !is_list;
            if (is_list == table.has_columns || at >= end) return nullptr;
            if (!(is_list ? PlainNumbers::read_list(++at, end, numbers, usual) : read_row(at, end, numbers, usual, table)))
                return nullptr;
            size_t width = numbers.count() - before;
            if (table.rows++ == 0) table.width = width;
            if (width != table.width) return nullptr;
            at = skip_space(at + 1, end);
            if (at >= end) return nullptr;
            if (*at != ',') return *at == closing ? at + 1 : nullptr;
            at = skip_space(at + 1, end);
        }
        return nullptr;
    }

    /// Returns the name of a column. Only rows that are objects have named columns.
    const char *column(size_t index, size_t *length) const {
        *length = columns[index].length;
        return columns[index].name;
    }

private:
    using Usual = PlainNumbers::Usual;

    struct Column {
        const char *name;
        size_t length;
        /// The key with its quotes and colon as one number, and the mask of its bytes. The mask is 0 if the key, quotes and colon
        /// take more than eight bytes, or if the colon does not directly follow the key.
        uint64_t text, mask;
    };

    Column columns[CSJ_MAX_COLUMNS];

    static const char *skip_space(const char *at, const char *end) { return PlainNumbers::skip_space(at, end); }

    /// Moves past a key with this name, the colon and any white space. Returns false if there is anything else.
    static bool pass_key(const char *&at, const char *end, const char *name, size_t length) {
        if (end - at < ptrdiff_t(length) + 3 || *at != '"' || std::memcmp(at + 1, name, length) != 0 || at[length + 1] != '"')
            return false;
        at = skip_space(at + length + 2, end);
        if (at >= end || *at != ':') return false;
        at = skip_space(at + 1, end);
        return at < end;
    }

    /// Reads a row that is an object of numbers, and moves `at` to its closing bracket. The first row determines the keys of all
    /// rows.
    __attribute__((always_inline)) bool read_row(
        const char *&at, const char *end, NumberBuffer &numbers, Usual &usual, const csj_table &table) {
        if (*at != '{') return false;
        at = skip_space(at + 1, end);
        for (size_t index = 0;; index++) {
            if (table.rows == 0 ? !learn(at, end, index) : index >= table.width) return false;
            const Column &column = columns[index];
            if (column.mask != 0 && (PlainNumbers::load_eight(at) & column.mask) == column.text) {
                at = skip_space(at + column.length + 3, end);
            } else if (!pass_key(at, end, column.name, column.length)) {
                return false;
            }
            if (numbers.next() == numbers.end_of_room() && !numbers.grow()) return false;
            double *next = numbers.next();
            if (!PlainNumbers::read(at, *next, usual)) return false;
            numbers.wrote(next + 1);
            at = skip_space(at, end);
            if (at >= end) return false;
            if (*at != ',') return *at == '}';
            at = skip_space(at + 1, end);
        }
    }

    /// Stores the key at `at` as the name of a column. Returns false if the key is not plain or there are too many columns.
    bool learn(const char *at, const char *end, size_t index) {
        if (index == CSJ_MAX_COLUMNS || at >= end || *at != '"') return false;
        const char *name = at + 1, *behind = name;
        while (behind < end && uint8_t(*behind) >= ' ' && uint8_t(*behind) < 0x80 && *behind != '"' && *behind != '\\') behind++;
        if (behind >= end || *behind != '"') return false;
        Column &column = columns[index];
        column = {name, size_t(behind - name), 0, 0};
        if (column.length + 3 > 8 || behind[1] != ':') return true;
        column.mask = ~uint64_t(0) >> (64 - 8 * (column.length + 3));
        column.text = PlainNumbers::load_eight(at) & column.mask;
        return true;
    }
};
