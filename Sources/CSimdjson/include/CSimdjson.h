// JSON for Swift: reading with simdjson's on-demand parser, as a cursor with a plain C interface, and writing numbers as text.
//
// The cursor moves through a document forward only. No function throws an exception or trusts its input. An error is a negative
// `csj_error`. After an error, the document cannot be read any further, and `csj_offset` returns the position of the error.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The number of bytes after a document that must be readable. Their content does not matter.
#define CSJ_PADDING 64

/// The maximum number of objects and arrays that are entered at a time: enough for a message and the deepest value that is kept in
/// it. Deeper values can be skipped or taken as raw text, but not entered.
#define CSJ_MAX_DEPTH 66

typedef struct csj_parser csj_parser;

/// The type of a value.
enum csj_type {
    CSJ_OBJECT = 1,
    CSJ_ARRAY = 2,
    CSJ_NUMBER = 3,
    CSJ_STRING = 4,
    CSJ_BOOLEAN = 5,
    CSJ_NULL = 6,
};

/// The result of a function.
enum csj_error {
    CSJ_OK = 0,
    /// The text is not JSON.
    CSJ_SYNTAX = -1,
    /// The text ends before the document does.
    CSJ_TRUNCATED = -2,
    /// The text is not UTF-8.
    CSJ_UTF8 = -3,
    /// The value has a different type than requested.
    CSJ_TYPE = -4,
    /// The number is out of range.
    CSJ_RANGE = -5,
    /// The document is nested too deep.
    CSJ_DEPTH = -6,
    /// The text is empty.
    CSJ_EMPTY = -7,
    /// There is text after the document.
    CSJ_TRAILING = -8,
    /// There is not enough memory, or the document is larger than the parser supports.
    CSJ_CAPACITY = -9,
    /// The document is not plain or not valid. To find out, read it again with `csj_begin`. This error occurs only while
    /// `csj_is_plain` returns true.
    CSJ_UNUSUAL = -10,
};

/// Returns the version of simdjson.
const char *csj_version(void);

/// Returns the name of simdjson's implementation for this processor, such as `haswell`.
const char *csj_implementation(void);

/// Creates a parser. Returns NULL when there is not enough memory. A parser keeps its memory for the next document.
csj_parser *csj_parser_new(void);

/// Frees a parser. Does nothing for NULL.
void csj_parser_free(csj_parser *parser);

/// Starts to read a document. `CSJ_PADDING` bytes after it must be readable. The text must stay unchanged at this address while it
/// is read.
int csj_begin(csj_parser *parser, const char *text, size_t length);

/// Does the same as `csj_begin` for a document that is probably plain: ASCII without escapes, and numbers with few digits. Such a
/// document is read faster, in one pass. Anything else gives `CSJ_UNUSUAL`, and the caller starts over with `csj_begin`. For a few
/// dozen documents after such a failure, this function works like `csj_begin`.
int csj_begin_plain(csj_parser *parser, const char *text, size_t length);

/// Returns whether the document is being read as a plain one. If so, every error is `CSJ_UNUSUAL`.
bool csj_is_plain(csj_parser *parser);

/// Returns the type of the current value, or an error. At first, the current value is the whole document.
int csj_type(csj_parser *parser);

/// Enters the current value, which must be an object.
int csj_enter_object(csj_parser *parser);

/// A field of an object.
typedef struct {
    /// The key, valid until the next document.
    const char *key;
    size_t key_length;
    /// The position of the value, in bytes from the start of the document.
    size_t offset;
    /// The `csj_type` that the first byte of the value implies, or 0 if no value starts with that byte. For 0, the function
    /// `csj_type` returns the error.
    int type;
} csj_field;

/// Moves to the next field of the object entered last, and skips what was not read of the previous field. Returns 1, or an error.
/// After the last field, leaves the object and returns 0.
int csj_next_field(csj_parser *parser, csj_field *field);

/// Enters the current value, which must be an array.
int csj_enter_array(csj_parser *parser);

/// Moves to the next element of the array entered last. Returns 1, or an error. After the last element, leaves the array and
/// returns 0.
int csj_next_element(csj_parser *parser);

/// Reads the remaining elements of the array entered last, which must be numbers, and leaves the array. Returns their count, or an
/// error. `numbers` is valid until numbers are read again.
ptrdiff_t csj_read_doubles(csj_parser *parser, const double **numbers);

/// Rows of plain numbers. All rows have the same width.
typedef struct {
    /// The numbers, row by row. Valid until numbers are read again.
    const double *numbers;
    size_t rows, width;
    /// Whether each row is an object, so that each number has a name; see `csj_table_column`.
    bool has_columns;
} csj_table;

/// The maximum number of columns of a row that is an object.
enum { CSJ_MAX_COLUMNS = 16 };

/// Reads the current value if it is a table: a list or an object of rows. All rows are lists of equally many numbers, or all are
/// objects of numbers with the same keys in the same order. If the table is an object, its own keys must be those in `names`, in
/// that order, but it may end before the last of them. `names` contains, for each key, a byte with its length and the key itself.
/// Returns false when the value is not such a table. The cursor does not move in either case; see `csj_pass_table`.
bool csj_read_table(csj_parser *parser, const uint8_t *names, size_t names_length, csj_table *table);

/// Returns the name of a column of the table that was read last. `has_columns` of that table must be true.
const char *csj_table_column(csj_parser *parser, size_t index, size_t *length);

/// Moves past the current value, after `csj_read_table` has read it.
void csj_pass_table(csj_parser *parser);

/// Reads the current value as a finite number.
int csj_double(csj_parser *parser, double *number);

/// Reads the current value as an integer. `3.0` and `3e0` are integers.
int csj_int64(csj_parser *parser, int64_t *number);

/// A number as it is written in the document.
typedef struct {
    enum { CSJ_IS_INT64, CSJ_IS_UINT64, CSJ_IS_DOUBLE } kind;
    int64_t int64;
    uint64_t uint64;
    double real;
} csj_number;

/// Reads the current value as a number of any kind: a 64-bit integer if it has no decimal point or exponent and is in range, or
/// else a finite double.
int csj_any_number(csj_parser *parser, csj_number *number);

/// Reads the current value as a boolean.
int csj_bool(csj_parser *parser, bool *value);

/// Reads the current value as an unescaped string, valid until the next document.
int csj_string(csj_parser *parser, const char **text, size_t *length);

/// Returns the text of the current value as it is in the document. Nested values are not checked.
int csj_raw(csj_parser *parser, const char **text, size_t *length);

/// Returns `CSJ_OK` when the document has been read to its end and only white space follows it.
int csj_end(csj_parser *parser);

/// Returns the offset of the current position, or of the error, in bytes.
size_t csj_offset(csj_parser *parser);

/// The maximum number of bytes for the text of a number and a comma.
#define CSJ_NUMBER_TEXT 28

/// Writes a finite number as the shortest text that reads back as the same number. Returns the number of bytes.
size_t csj_write_double(double number, char *text);

/// Writes an integer. Returns the number of bytes.
size_t csj_write_int64(int64_t number, char *text);

/// Writes `count` tuples of numbers, separated by commas. Each tuple takes the numbers at `slots` from the next `stride` numbers.
/// `text` must have room for `CSJ_NUMBER_TEXT` bytes per number. Returns the number of bytes, or 0 when a number is not finite or
/// there are no numbers.
size_t csj_write_tuples(
    const double *numbers, size_t count, size_t stride, const uint8_t *slots, size_t slot_count, char *text);

#ifdef __cplusplus
}
#endif
