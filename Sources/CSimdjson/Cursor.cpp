// The cursor over simdjson's on-demand parser. It uses only the public interface, so it works with version 3.x and later.
#define SIMDJSON_EXCEPTIONS 0
#ifdef __OPTIMIZE__
// simdjson can check that its callers use it correctly. The checks take as much time as the parsing, so only debug builds have
// them.
#define NDEBUG
#define SIMDJSON_DEVELOPMENT_CHECKS 0
#endif
#include "CSimdjson.h"
#include "PlainCursor.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>
#include <simdjson.h>
#ifdef __APPLE__
#include <xlocale.h>
#else
#include <locale.h>
#endif

using namespace simdjson;

namespace {

/// An object or array that has been entered.
struct Level {
    bool is_array = false;
    bool is_started = false;
    ondemand::object object;
    ondemand::array array;
    ondemand::object_iterator field;
    ondemand::object_iterator field_end;
    ondemand::array_iterator element;
    ondemand::array_iterator element_end;
};

template <class T> bool take(simdjson_result<T> result, T &value, error_code &error) {
    error = std::move(result).get(value);
    return error == SUCCESS;
}

/// Reads a finite number inside an object or a list. The character after the number ends it, also for `strtod`.
error_code read_double(ondemand::value &value, double &number) {
    auto token = value.raw_json_token();
    error_code error = value.get_double().get(number);
    // simdjson up to 3.0.1 returns a wrong value for 0.… with more than 19 decimals, because it does not detect that the digits
    // overflow.
    if (error == SUCCESS && token.size() > 20) {
        static const locale_t plain = newlocale(LC_ALL_MASK, "C", locale_t(0));
        number = plain ? strtod_l(token.data(), nullptr, plain) : std::strtod(token.data(), nullptr);
        if (!std::isfinite(number)) return NUMBER_ERROR;
    }
    return error;
}

} // namespace

struct csj_parser {
    ondemand::parser parser;
    ondemand::document document;
    ondemand::value current;
    const char *text = nullptr;
    size_t length = 0;
    int depth = 0;
    /// The position of the first error, if there was one.
    size_t error_offset = 0;
    bool has_failed = true;
    Level levels[CSJ_MAX_DEPTH];
    /// The numbers read last from a list.
    NumberBuffer numbers;
    /// The reader of tables, and the end of the table that it found last.
    PlainTable table;
    const char *behind_table = nullptr;
    /// The cursor that reads the document as long as it is plain, and whether it is in use.
    PlainCursor plain;
    bool is_plain = false;
    /// The number of further documents for which the plain cursor is not tried, because an earlier document was not plain.
    int unusual = 0;

    size_t offset() {
        const char *place = nullptr;
        auto result = document.current_location();
        if (result.error() != SUCCESS) return length;
        place = result.value_unsafe();
        return place >= text && place <= text + length ? size_t(place - text) : length;
    }

    /// Records an error. The document cannot be read any further.
    int fail(int code) {
        if (!has_failed) error_offset = offset();
        has_failed = true;
        return code;
    }

    int fail(error_code error) {
        switch (error) {
        case EMPTY: return fail(CSJ_EMPTY);
        case UTF8_ERROR: return fail(CSJ_UTF8);
        case UNCLOSED_STRING:
        case INCOMPLETE_ARRAY_OR_OBJECT:
            // The parser looks only at the end of the text, so text behind a whole value also counts as incomplete.
            error_offset = behind_value();
            has_failed = true;
            return error_offset < length ? CSJ_TRAILING : CSJ_TRUNCATED;
        case DEPTH_ERROR: return fail(CSJ_DEPTH);
        case INCORRECT_TYPE:
        case SCALAR_DOCUMENT_AS_VALUE: return fail(CSJ_TYPE);
        case NUMBER_OUT_OF_RANGE: return fail(CSJ_RANGE);
        case TRAILING_CONTENT: return fail(CSJ_TRAILING);
        case CAPACITY:
        case MEMALLOC: return fail(CSJ_CAPACITY);
        default: return fail(CSJ_SYNTAX);
        }
    }

    /// Records an error in reading a number: the value is not a number, is out of range, or is malformed.
    int fail_number(error_code error) {
        if (error != NUMBER_ERROR && error != INCORRECT_TYPE) return fail(error);
        // The value that could not be read is still the current token. Its text distinguishes the three cases.
        size_t at = offset();
        if (at >= length) return fail(CSJ_SYNTAX);
        char first = text[at];
        if (first != '-' && !(first >= '0' && first <= '9')) return fail(is_value_start(first) ? CSJ_TYPE : CSJ_SYNTAX);
        return fail(is_well_formed_number(at) ? CSJ_RANGE : CSJ_SYNTAX);
    }

    static bool is_value_start(char c) {
        // N and I start NaN and Infinity, which other programs write in place of numbers.
        return c == '"' || c == '{' || c == '[' || c == 't' || c == 'f' || c == 'n' || c == 'N' || c == 'I';
    }

    bool is_well_formed_number(size_t at) const {
        auto digit = [&](size_t i) { return i < length && text[i] >= '0' && text[i] <= '9'; };
        if (text[at] == '-') at++;
        if (!digit(at)) return false;
        if (text[at] == '0' && digit(at + 1)) return false;
        while (digit(at)) at++;
        if (at < length && text[at] == '.') {
            if (!digit(++at)) return false;
            while (digit(at)) at++;
        }
        if (at < length && (text[at] == 'e' || text[at] == 'E')) {
            at++;
            if (at < length && (text[at] == '+' || text[at] == '-')) at++;
            if (!digit(at)) return false;
            while (digit(at)) at++;
        }
        if (at >= length) return true;
        char c = text[at];
        return c == ',' || c == ']' || c == '}' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
    }

    /// Returns the position of the text that follows the object or list at the beginning. Returns the length if nothing follows it,
    /// or if it has no end.
    size_t behind_value() const {
        size_t open = 0;
        bool is_string = false;
        for (size_t i = 0; i < length; i++) {
            char c = text[i];
            if (is_string) {
                if (c == '\\') i++;
                if (c == '"') is_string = false;
                continue;
            }
            switch (c) {
            case ' ':
            case '\t':
            case '\n':
            case '\r': continue;
            case '"': is_string = true; break;
            case '{':
            case '[': open++; break;
            case '}':
            case ']':
                if (open > 0) open--;
                break;
            default: break;
            }
            if (open > 0 || is_string) continue;
            if (c != '}' && c != ']') return length;
            for (i++; i < length; i++) {
                if (text[i] != ' ' && text[i] != '\t' && text[i] != '\n' && text[i] != '\r') return i;
            }
        }
        return length;
    }

    /// Finds the string that begins after a quotation mark. Returns false if it has escapes, or has `CSJ_PADDING` bytes or more.
    /// The parser's own function, which copies the string, must then read it. The parser has already checked that every string
    /// ends within the text.
    static bool take_plain_string(const char *begin, const char **string, size_t *count) {
        size_t i = 0;
        while (i < CSJ_PADDING && begin[i] != '"' && begin[i] != '\\') i++;
        if (i == CSJ_PADDING || begin[i] != '"') return false;
        *string = begin;
        *count = i;
        return true;
    }

    /// Moves to the next element; see `csj_next_element`.
    int next_element() {
        Level &level = levels[depth - 1];
        if (level.is_started) {
            ++level.element;
        } else {
            level.is_started = true;
        }
        if (!(level.element != level.element_end)) {
            depth--;
            return 0;
        }
        error_code error;
        if (!take(*level.element, current, error)) return fail(error);
        return 1;
    }
};

extern "C" {

csj_parser *csj_parser_new(void) { return new (std::nothrow) csj_parser(); }

void csj_parser_free(csj_parser *parser) { delete parser; }

int csj_begin_plain(csj_parser *p, const char *text, size_t length) {
    if (p->unusual > 0) {
        p->unusual--;
        return csj_begin(p, text, length);
    }
    p->is_plain = true;
    p->plain.begin(text, length);
    return CSJ_OK;
}

bool csj_is_plain(csj_parser *p) { return p->is_plain; }

int csj_begin(csj_parser *p, const char *text, size_t length) {
    // The plain cursor has failed. Messages from one sender are usually similar, so the next ones are unlikely to be plain.
    if (p->is_plain) p->unusual = 31;
    p->is_plain = false;
    p->text = text;
    p->length = length;
    p->depth = 0;
    p->has_failed = false;
    p->error_offset = 0;
    auto error = p->parser.iterate(text, length, length + CSJ_PADDING).get(p->document);
    if (error != SUCCESS) {
        p->has_failed = true;
        p->error_offset = error == EMPTY ? 0 : length;
        return p->fail(error);
    }
    return CSJ_OK;
}

int csj_type(csj_parser *p) {
    if (p->is_plain) return p->plain.type();
    if (p->has_failed) return CSJ_SYNTAX;
    ondemand::json_type type;
    auto error = p->depth == 0 ? p->document.type().get(type) : p->current.type().get(type);
    if (error != SUCCESS) return p->fail(error);
    switch (type) {
    case ondemand::json_type::boolean:
    case ondemand::json_type::null: {
        std::string_view token;
        error = p->depth == 0 ? p->document.raw_json_token().get(token) : SUCCESS;
        if (error != SUCCESS) return p->fail(error);
        int word = PlainCursor::type_at(p->depth == 0 ? token.data() : p->current.raw_json_token().data(), p->text + p->length);
        return word != 0 ? word : p->fail(CSJ_SYNTAX);
    }
    case ondemand::json_type::object: return CSJ_OBJECT;
    case ondemand::json_type::array: return CSJ_ARRAY;
    case ondemand::json_type::number: return CSJ_NUMBER;
    case ondemand::json_type::string: return CSJ_STRING;
    default: return p->fail(CSJ_SYNTAX);
    }
}

int csj_enter_object(csj_parser *p) {
    if (p->is_plain) return p->plain.enter(false);
    if (p->has_failed) return CSJ_SYNTAX;
    if (p->depth >= CSJ_MAX_DEPTH) return p->fail(CSJ_DEPTH);
    Level &level = p->levels[p->depth];
    error_code error;
    auto object = p->depth == 0 ? p->document.get_object() : p->current.get_object();
    if (!take(std::move(object), level.object, error)) return p->fail(error);
    if (!take(level.object.begin(), level.field, error)) return p->fail(error);
    if (!take(level.object.end(), level.field_end, error)) return p->fail(error);
    level.is_array = false;
    level.is_started = false;
    p->depth++;
    return CSJ_OK;
}

int csj_next_field(csj_parser *p, csj_field *found) {
    if (p->is_plain) return p->plain.next_field(found);
    if (p->has_failed || p->depth == 0 || p->levels[p->depth - 1].is_array) return p->fail(CSJ_SYNTAX);
    Level &level = p->levels[p->depth - 1];
    if (level.is_started) {
        ++level.field;
    } else {
        level.is_started = true;
    }
    if (!(level.field != level.field_end)) {
        p->depth--;
        return 0;
    }
    error_code error;
    ondemand::field field;
    if (!take(*level.field, field, error)) return p->fail(error);
    if (!csj_parser::take_plain_string(field.key().raw(), &found->key, &found->key_length)) {
        std::string_view name;
        if (!take(field.unescaped_key(), name, error)) return p->fail(error);
        found->key = name.data();
        found->key_length = name.size();
    }
    p->current = field.value();
    const char *value = p->current.raw_json_token().data();
    found->offset = std::min(size_t(value - p->text), p->length);
    found->type = found->offset < p->length ? PlainCursor::type_at(value, p->text + p->length) : 0;
    return 1;
}

int csj_enter_array(csj_parser *p) {
    if (p->is_plain) return p->plain.enter(true);
    if (p->has_failed) return CSJ_SYNTAX;
    if (p->depth >= CSJ_MAX_DEPTH) return p->fail(CSJ_DEPTH);
    Level &level = p->levels[p->depth];
    error_code error;
    auto array = p->depth == 0 ? p->document.get_array() : p->current.get_array();
    if (!take(std::move(array), level.array, error)) return p->fail(error);
    if (!take(level.array.begin(), level.element, error)) return p->fail(error);
    if (!take(level.array.end(), level.element_end, error)) return p->fail(error);
    level.is_array = true;
    level.is_started = false;
    p->depth++;
    return CSJ_OK;
}

int csj_next_element(csj_parser *p) {
    if (p->is_plain) return p->plain.next_element();
    if (p->has_failed || p->depth == 0 || !p->levels[p->depth - 1].is_array) return p->fail(CSJ_SYNTAX);
    return p->next_element();
}

ptrdiff_t csj_read_doubles(csj_parser *p, const double **numbers) {
    if (p->is_plain) {
        p->numbers.clear();
        int code = p->plain.read_doubles(p->numbers);
        *numbers = p->numbers.data();
        return code == CSJ_OK ? ptrdiff_t(p->numbers.count()) : code;
    }
    if (p->has_failed || p->depth == 0 || !p->levels[p->depth - 1].is_array) return p->fail(CSJ_SYNTAX);
    p->numbers.clear();
    *numbers = nullptr;
    // Local copies keep the iterators in registers while the numbers are read.
    Level &level = p->levels[p->depth - 1];
    auto element = level.element;
    const auto end = level.element_end;
    bool is_started = level.is_started;
    // Points are mostly plain numbers, which can be read directly from the text. The parser skips them when it continues in the
    // enclosing value.
    if (!is_started && p->depth > 1 && element != end &&
        PlainNumbers::read(p->text + p->offset(), p->text + p->length, p->numbers)) {
        p->depth--;
        *numbers = p->numbers.data();
        return ptrdiff_t(p->numbers.count());
    }
    p->numbers.clear();
    while (true) {
        if (is_started) ++element;
        is_started = true;
        if (!(element != end)) break;
        ondemand::value value;
        error_code error;
        double number;
        if (!take(*element, value, error)) return p->fail(error);
        error = read_double(value, number);
        if (error != SUCCESS) return p->fail_number(error);
        if (!p->numbers.append(number)) return p->fail(CSJ_CAPACITY);
    }
    p->depth--;
    *numbers = p->numbers.data();
    return ptrdiff_t(p->numbers.count());
}

bool csj_read_table(csj_parser *p, const uint8_t *names, size_t names_length, csj_table *table) {
    p->numbers.clear();
    if (p->is_plain) {
        p->behind_table = p->plain.look_for(p->table, names, names_length, p->numbers, *table);
    } else {
        if (p->has_failed || p->depth == 0) return false;
        p->behind_table = p->table.read(
            p->text + p->offset(), p->text + p->length, names, names_length, p->numbers, *table);
    }
    table->numbers = p->numbers.data();
    return p->behind_table;
}

const char *csj_table_column(csj_parser *p, size_t index, size_t *length) { return p->table.column(index, length); }

void csj_pass_table(csj_parser *p) {
    // simdjson's parser skips an unread value when it continues.
    if (p->is_plain) p->plain.pass(p->behind_table);
}

int csj_double(csj_parser *p, double *number) {
    if (p->is_plain) return p->plain.read_double(number);
    if (p->has_failed || p->depth == 0) return p->fail(CSJ_TYPE);
    auto error = read_double(p->current, *number);
    return error == SUCCESS ? CSJ_OK : p->fail_number(error);
}

int csj_int64(csj_parser *p, int64_t *number) {
    if (p->is_plain) return p->plain.read_int64(number);
    if (p->has_failed || p->depth == 0) return p->fail(CSJ_TYPE);
    if (p->current.get_int64().get(*number) == SUCCESS) return CSJ_OK;
    size_t place = p->offset();
    double value;
    auto error = read_double(p->current, value);
    if (error != SUCCESS) return p->fail_number(error);
    if (std::trunc(value) != value || std::fabs(value) > 9007199254740991.0) {
        p->has_failed = true;
        p->error_offset = place;
        return CSJ_RANGE;
    }
    *number = int64_t(value);
    return CSJ_OK;
}

int csj_any_number(csj_parser *p, csj_number *number) {
    if (p->is_plain) return CSJ_UNUSUAL;
    if (p->has_failed || p->depth == 0) return p->fail(CSJ_TYPE);
    if (p->current.get_int64().get(number->int64) == SUCCESS) {
        number->kind = csj_number::CSJ_IS_INT64;
        return CSJ_OK;
    }
    if (p->current.get_uint64().get(number->uint64) == SUCCESS) {
        number->kind = csj_number::CSJ_IS_UINT64;
        return CSJ_OK;
    }
    auto error = read_double(p->current, number->real);
    number->kind = csj_number::CSJ_IS_DOUBLE;
    return error == SUCCESS ? CSJ_OK : p->fail_number(error);
}

int csj_bool(csj_parser *p, bool *value) {
    if (p->is_plain) return p->plain.read_bool(value);
    if (p->has_failed || p->depth == 0) return p->fail(CSJ_TYPE);
    auto error = p->current.get_bool().get(*value);
    return error == SUCCESS ? CSJ_OK : p->fail(error);
}

int csj_string(csj_parser *p, const char **text, size_t *length) {
    if (p->is_plain) return p->plain.read_string(text, length);
    if (p->has_failed || p->depth == 0) return p->fail(CSJ_TYPE);
    error_code error;
    auto token = p->current.raw_json_token();
    if (token.front() == '"' && csj_parser::take_plain_string(token.data() + 1, text, length)) {
        ondemand::raw_json_string passed;
        return take(p->current.get_raw_json_string(), passed, error) ? CSJ_OK : p->fail(error);
    }
    std::string_view view;
    if (!take(simdjson_result<std::string_view>(p->current.get_string()), view, error)) return p->fail(error);
    *text = view.data();
    *length = view.size();
    return CSJ_OK;
}

int csj_raw(csj_parser *p, const char **text, size_t *length) {
    if (p->is_plain) return CSJ_UNUSUAL;
    if (p->has_failed || p->depth == 0) return p->fail(CSJ_TYPE);
    int type = csj_type(p);
    if (type < 0) return type;
    error_code error;
    std::string_view view;
    if (type == CSJ_OBJECT) {
        ondemand::object object;
        if (!take(p->current.get_object(), object, error)) return p->fail(error);
        if (!take(object.raw_json(), view, error)) return p->fail(error);
    } else if (type == CSJ_ARRAY) {
        ondemand::array array;
        if (!take(p->current.get_array(), array, error)) return p->fail(error);
        if (!take(array.raw_json(), view, error)) return p->fail(error);
    } else {
        view = p->current.raw_json_token();
    }
    while (!view.empty() && (view.back() == ' ' || view.back() == '\t' || view.back() == '\n' || view.back() == '\r')) {
        view.remove_suffix(1);
    }
    *text = view.data();
    *length = view.size();
    return CSJ_OK;
}

int csj_end(csj_parser *p) {
    if (p->is_plain) return p->plain.finish();
    if (p->has_failed) return CSJ_SYNTAX;
    if (p->depth != 0) return p->fail(CSJ_SYNTAX);
    return p->document.current_location().error() == OUT_OF_BOUNDS ? CSJ_OK : p->fail(CSJ_TRAILING);
}

size_t csj_offset(csj_parser *p) {
    if (p->is_plain) return p->plain.offset();
    return p->has_failed ? p->error_offset : p->offset();
}

} // extern "C"
