// MessagePack for Swift: libmsgpack's packer, writing to memory. Every value takes the least bytes it can.
//
// Only the packer is used, which stands in libmsgpack's headers. MessagePackReader.swift says why reading has code of its own.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The most bytes that a number, or the head of anything else, takes.
#define CMP_MAX_HEAD 9

/// Each writes to `bytes`, which must have room for `CMP_MAX_HEAD`, and returns how many bytes it wrote.
size_t cmp_write_object(size_t count, uint8_t *bytes);
size_t cmp_write_array(size_t count, uint8_t *bytes);
size_t cmp_write_string(size_t length, uint8_t *bytes);
size_t cmp_write_integer(int64_t number, uint8_t *bytes);
size_t cmp_write_unsigned(uint64_t number, uint8_t *bytes);
size_t cmp_write_double(double number, uint8_t *bytes);
size_t cmp_write_bool(bool value, uint8_t *bytes);
size_t cmp_write_null(uint8_t *bytes);

/// The version of libmsgpack whose headers were used.
const char *cmp_version(void);

#ifdef __cplusplus
}
#endif
