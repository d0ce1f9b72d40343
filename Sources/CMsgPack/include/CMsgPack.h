// MessagePack for Swift: libmsgpack's packer, writing to memory. Every value takes the fewest bytes possible.
//
// Only the packer is used, which is part of libmsgpack's headers. MessagePackReader.swift says why it does not use the unpacker.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The maximum number of bytes of a number, or of the head of any other value: its type, and its length or count.
#define CMP_MAX_HEAD 9

/// These functions write to `bytes`, which must have room for `CMP_MAX_HEAD` bytes, and return the number of bytes written.
size_t cmp_write_object(size_t count, uint8_t *bytes);
size_t cmp_write_array(size_t count, uint8_t *bytes);
size_t cmp_write_string(size_t length, uint8_t *bytes);
size_t cmp_write_integer(int64_t number, uint8_t *bytes);
size_t cmp_write_unsigned(uint64_t number, uint8_t *bytes);
size_t cmp_write_double(double number, uint8_t *bytes);
size_t cmp_write_bool(bool value, uint8_t *bytes);
size_t cmp_write_null(uint8_t *bytes);

/// The version of the libmsgpack headers.
const char *cmp_version(void);

#ifdef __cplusplus
}
#endif
