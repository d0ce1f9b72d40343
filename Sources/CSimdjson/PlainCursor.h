// A cursor over JSON as most programs write it: ASCII text without escapes, and plain numbers. It reads in one pass and needs no
// index of the document. If the document contains anything else or an error, the caller reads it again with simdjson's parser.
#pragma once
#include "PlainTable.h"

/// Reads one document. Every function returns `CSJ_UNUSUAL` for anything that is not plain. The cursor cannot be used after that.
class PlainCursor {
public:
    /// Returns the type of the values that start with a character, or 0 if no value starts with it.
    static int type_beginning(char c) {
        switch (c) {
        case '{': return CSJ_OBJECT;
        case '[': return CSJ_ARRAY;
        case '"': return CSJ_STRING;
        case 't':
        case 'f': return CSJ_BOOLEAN;
        case 'n': return CSJ_NULL;
        default: return c == '-' || (c >= '0' && c <= '9') ? CSJ_NUMBER : 0;
        }
    }

    /// Returns the type of the value at a position, or 0 if no value starts there. Of a word, such as null, all letters are checked,
    /// because values that are not read are skipped by their first character.
    static int type_at(const char *at, const char *end) {
        int type = type_beginning(*at);
        if (type != CSJ_NULL && type != CSJ_BOOLEAN) return type;
        const char *word = *at == 't' ? "true" : *at == 'f' ? "false" : "null";
        ptrdiff_t length = *at == 'f' ? 5 : 4;
        if (end - at < length || std::memcmp(at, word, size_t(length)) != 0) return 0;
        const char *next = at + length;
        return next == end || *next == ',' || *next == ']' || *next == '}' || is_space(*next) ? type : 0;
    }

    void begin(const char *document, size_t length) {
        text = at = document;
        end = document + length;
        depth = 0;
        skip_space();
        is_unread = true;
    }

    size_t offset() const { return size_t(at - text); }

    int type() const {
        int found = is_unread && at < end ? type_at(at, end) : 0;
        return found ? found : CSJ_UNUSUAL;
    }

    int enter(bool array) {
        if (depth >= CSJ_MAX_DEPTH || !is_unread || at >= end || *at != (array ? '[' : '{')) return CSJ_UNUSUAL;
        at++;
        skip_space();
        is_unread = false;
        levels[depth++] = {array, false};
        return CSJ_OK;
    }

    int next_field(csj_field *field) {
        int found = next(false);
        if (found != 1) return found;
        if (!take_string(&field->key, &field->key_length)) return CSJ_UNUSUAL;
        skip_space();
        if (at >= end || *at != ':') return CSJ_UNUSUAL;
        at++;
        skip_space();
        if (at >= end) return CSJ_UNUSUAL;
        field->type = type_at(at, end);
        if (field->type == 0) return CSJ_UNUSUAL;
        field->offset = offset();
        is_unread = true;
        return 1;
    }

    int next_element() {
        int found = next(true);
        is_unread = found == 1;
        return found;
    }

    /// Reads the rest of the list entered last, and leaves it.
    int read_doubles(NumberBuffer &numbers) {
        int found = next(true);
        if (found != 1) return found == 0 ? CSJ_OK : found;
        return read_to_end(numbers) ? CSJ_OK : CSJ_UNUSUAL;
    }

    /// Reads the current value if it is a table, without moving the cursor. Returns the end of the table, or NULL if the value is
    /// anything else.
    const char *look_for(
        PlainTable &reader, const uint8_t *names, size_t length, NumberBuffer &numbers, csj_table &table) const {
        return is_unread && at < end ? reader.read(at, end, names, length, numbers, table) : nullptr;
    }

    /// Moves past the current value. `behind` is the position after it.
    void pass(const char *behind) {
        at = behind;
        is_unread = false;
    }

    int read_double(double *number) {
        if (!is_unread || at >= end || !PlainNumbers::read_one(at, *number)) return CSJ_UNUSUAL;
        return end_scalar();
    }

    int read_int64(int64_t *number) {
        if (!is_unread || at >= end) return CSJ_UNUSUAL;
        bool is_negative = *at == '-';
        at += is_negative;
        const char *first = at;
        int64_t value = 0;
        while (at < end && at - first < 16 && *at >= '0' && *at <= '9') value = value * 10 + (*at++ - '0');
        if (at == first || at - first > 15 || (*first == '0' && at - first > 1)) return CSJ_UNUSUAL;
        *number = is_negative ? -value : value;
        return end_scalar();
    }

    int read_bool(bool *value) {
        if (!is_unread) return CSJ_UNUSUAL;
        if (take_word("true", 4)) *value = true;
        else if (take_word("false", 5)) *value = false;
        else return CSJ_UNUSUAL;
        return end_scalar();
    }

    int read_string(const char **string, size_t *length) {
        if (!is_unread || !take_string(string, length)) return CSJ_UNUSUAL;
        return end_scalar();
    }

    int finish() {
        if (depth != 0 || is_unread) return CSJ_UNUSUAL;
        skip_space();
        return at == end ? CSJ_OK : CSJ_UNUSUAL;
    }

private:
    struct Level {
        bool is_array, is_started;
    };

    const char *text = nullptr, *at = nullptr, *end = nullptr;
    /// Whether the value that starts at `at` is current and has not been read yet.
    bool is_unread = false;
    int depth = 0;
    Level levels[CSJ_MAX_DEPTH];

    /// Returns whether a character is a visible ASCII character or a space.
    static bool is_plain(char c) { return uint8_t(c) >= ' ' && uint8_t(c) < 0x80; }

    static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

    void skip_space() {
        while (at < end && is_space(*at)) at++;
    }

    /// Moves to the next field or element of the object or list entered last. Returns 1, or 0 after the last one, and then leaves
    /// the object or list.
    __attribute__((always_inline)) int next(bool array) {
        if (depth == 0 || levels[depth - 1].is_array != array) return CSJ_UNUSUAL;
        if (is_unread && !skip_value()) return CSJ_UNUSUAL;
        skip_space();
        if (at >= end) return CSJ_UNUSUAL;
        Level &level = levels[depth - 1];
        if (*at == (array ? ']' : '}')) {
            leave(at);
            return 0;
        }
        if (level.is_started) {
            if (*at != ',') return CSJ_UNUSUAL;
            at++;
            skip_space();
            if (at >= end) return CSJ_UNUSUAL;
        }
        level.is_started = true;
        return 1;
    }

    /// Leaves the object or list entered last. `bracket` is its closing bracket.
    void leave(const char *bracket) {
        at = bracket + 1;
        depth--;
        is_unread = false;
    }

    bool read_to_end(NumberBuffer &numbers) {
        const char *behind = at;
        if (!PlainNumbers::read_to_end(behind, end, numbers)) return false;
        leave(behind);
        return true;
    }

    /// Ends a scalar. Fails if the next character could continue it.
    int end_scalar() {
        if (at > end || (at < end && *at != ',' && *at != ']' && *at != '}' && !is_space(*at))) return CSJ_UNUSUAL;
        is_unread = false;
        return CSJ_OK;
    }

    bool take_word(const char *word, ptrdiff_t length) {
        if (end - at < length || std::memcmp(at, word, size_t(length)) != 0) return false;
        at += length;
        return true;
    }

    __attribute__((always_inline)) bool take_string(const char **string, size_t *length) {
        if (at >= end || *at != '"') return false;
        const char *begin = at + 1, *behind = begin;
        uint64_t found = 0;
        while (behind < end && (found = ends_of_plain(PlainNumbers::load_eight(behind))) == 0) behind += 8;
        if (behind >= end) return false;
        behind += __builtin_ctzll(found) >> 3;
        if (behind >= end || *behind != '"') return false;
        *string = begin;
        *length = size_t(behind - begin);
        at = behind + 1;
        return true;
    }

    /// Marks the first of eight characters that ends the plain part of a string, by its highest bit: a quotation mark, a backslash, a
    /// control character below the space, or a character that is not ASCII. Characters after the first one may be marked in error,
    /// because a subtraction borrows from them.
    static uint64_t ends_of_plain(uint64_t eight) {
        const uint64_t each = 0x0101010101010101;
        uint64_t quotes = eight ^ each * '"', slashes = eight ^ each * '\\';
        uint64_t below = (eight - each * ' ') & ~eight;
        return (below | ((quotes - each) & ~quotes) | ((slashes - each) & ~slashes) | eight) & each * 0x80;
    }

    /// Skips the current value.
    bool skip_value() {
        int open = 0;
        const char *string;
        size_t length;
        while (at < end) {
            char c = *at;
            if (c == '"') {
                if (!take_string(&string, &length)) return false;
            } else if (!is_plain(c) && !is_space(c)) {
                return false;
            } else if (c == '[' || c == '{') {
                open++;
                at++;
            } else if (c == ']' || c == '}') {
                if (open-- == 0) return false;
                at++;
            } else if (open > 0) {
                at++;
                continue;
            } else {
                while (at < end && *at != ' ' && is_plain(*at) && *at != ',' && *at != ']' && *at != '}') at++;
            }
            if (open == 0) return end_scalar() == CSJ_OK;
        }
        return false;
    }
};
