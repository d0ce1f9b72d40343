// JSON for Swift: reading by simdjson's on-demand parser as a cursor with a plain C face, and numbers written as text.
//
// The cursor walks one document forwards and never back. No function throws, and none trusts its input: what is wrong
// is a negative `csj_error`, after which the document is done and `csj_error_offset` says where it went wrong.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How many readable bytes must stand behind a document. What they hold does not matter.
#define CSJ_PADDING 64

/// How deep a cursor descends: a message, and in it the deepest value that is kept. Deeper values can be skipped or taken as raw
/// text, not entered.
#define CSJ_MAX_DEPTH 66

typedef struct csj_parser csj_parser;

/// What a value is.
enum csj_type {
    CSJ_OBJECT = 1,
    CSJ_ARRAY = 2,
    CSJ_NUMBER = 3,
    CSJ_STRING = 4,
    CSJ_BOOLEAN = 5,
    CSJ_NULL = 6,
};

/// What went wrong.
enum csj_error {
    CSJ_OK = 0,
    /// The text is not JSON.
    CSJ_SYNTAX = -1,
    /// The text ends before the document does.
    CSJ_TRUNCATED = -2,
    /// Not UTF-8.
    CSJ_UTF8 = -3,
    /// The value is of another type than asked for.
    CSJ_TYPE = -4,
    /// The number does not fit.
    CSJ_RANGE = -5,
    /// Nested too deep.
    CSJ_DEPTH = -6,
    /// Nothing there.
    CSJ_EMPTY = -7,
    /// Something stands behind the document.
    CSJ_TRAILING = -8,
    /// Out of memory, or a document larger than the parser can hold.
    CSJ_CAPACITY = -9,
    /// Not plain, or wrong: `csj_begin` begins again, and tells. Only where `csj_is_plain` says so.
    CSJ_UNUSUAL = -10,
};

/// The version of simdjson.
const char *csj_version(void);

/// Which of its ways to parse suits this processor: `haswell`.
const char *csj_implementation(void);

/// Makes a parser; NULL when there is no memory. It keeps what it allocates for the next document.
csj_parser *csj_parser_new(void);

/// Frees a parser; NULL does nothing.
void csj_parser_free(csj_parser *parser);

/// Starts on a document. `CSJ_PADDING` bytes behind it must be readable. It must stay in place while it is read.
int csj_begin(csj_parser *parser, const char *text, size_t length);

/// The same, for a document that is mostly plain: ASCII without escapes, and numbers of few digits. That is read quicker, in one
/// pass. What turns out to be anything else is `CSJ_UNUSUAL`; after some of these, documents are begun as by `csj_begin`.
int csj_begin_plain(csj_parser *parser, const char *text, size_t length);

/// Whether the document is read as a plain one, so that an error says only that it is none.
bool csj_is_plain(csj_parser *parser);

/// The type of the current value (at first the document itself), or an error.
int csj_type(csj_parser *parser);

/// Enters the current value, an object.
int csj_enter_object(csj_parser *parser);

/// A field of an object.
typedef struct {
    /// Its key, valid until the next document.
    const char *key;
    size_t key_length;
    /// Where its value stands, in bytes from the beginning of the document.
    size_t offset;
    /// What its value is by its first byte, a `csj_type`; 0 when no value begins so, of which `csj_type` says what is wrong.
    int type;
} csj_field;

/// Moves to the next field of the object entered last: 1, 0 when there is none (and the object is left), or an error. What was
/// not read of the field before is skipped.
int csj_next_field(csj_parser *parser, csj_field *field);

/// Enters the current value, an array.
int csj_enter_array(csj_parser *parser);

/// Moves to the next element of the array entered last: 1, 0 when there is none (and the array is left), or an error.
int csj_next_element(csj_parser *parser);

/// Reads what is left of the array entered last, numbers, and leaves it: how many, or an error. They stand at `numbers` until
/// the next call.
ptrdiff_t csj_read_doubles(csj_parser *parser, const double **numbers);

/// Reads the array entered last, from its current element on, and leaves it, if it holds lists of equally many plain numbers: how
/// many numbers in all, with `width` of them in each list. They stand at `numbers` until the next call. 0 when it holds anything
/// else, and nothing has been read then.
ptrdiff_t csj_read_rows(csj_parser *parser, const double **numbers, size_t *width);

/// Reads the current value as a finite number.
int csj_double(csj_parser *parser, double *number);

/// Reads the current value as a whole number; `3.0` and `3e0` are whole.
int csj_int64(csj_parser *parser, int64_t *number);

/// A number as it is written.
typedef struct {
    enum { CSJ_IS_INT64, CSJ_IS_UINT64, CSJ_IS_DOUBLE } kind;
    int64_t int64;
    uint64_t uint64;
    double real;
} csj_number;

/// Reads the current value as a number: a whole one without a point or an exponent, or a finite one.
int csj_any_number(csj_parser *parser, csj_number *number);

/// Reads the current value as a boolean.
int csj_bool(csj_parser *parser, bool *value);

/// Reads the current value as a string, unescaped; valid until the next document.
int csj_string(csj_parser *parser, const char **text, size_t *length);

/// The text of the current value as it stands in the document. What is nested in it is not checked.
int csj_raw(csj_parser *parser, const char **text, size_t *length);

/// `CSJ_OK` when the document has been read to its end and nothing but white space stands behind it.
int csj_end(csj_parser *parser);

/// The offset in bytes of what is being read, or of what went wrong.
size_t csj_offset(csj_parser *parser);

/// The most bytes one number and a comma take as text.
#define CSJ_NUMBER_TEXT 28

/// Writes a finite number as the shortest text that reads back as the same number; how many bytes.
size_t csj_write_double(double number, char *text);

/// Writes a whole number; how many bytes.
size_t csj_write_int64(int64_t number, char *text);

/// Writes `count` tuples of numbers with commas between all of them: of every `stride` numbers those at `slots`. `text`
/// must have room for `CSJ_NUMBER_TEXT` bytes a number. How many bytes; 0 also when a number is not finite.
size_t csj_write_tuples(
    const double *numbers, size_t count, size_t stride, const uint8_t *slots, size_t slot_count, char *text);

#ifdef __cplusplus
}
#endif
