// Writes values with libmsgpack's packer.
#include "CMsgPack.h"

#include <string.h>

#pragma clang diagnostic push
// The headers define functions that this file does not use.
#pragma clang diagnostic ignored "-Wunused-function"
#include <msgpack/pack.h>
#include <msgpack/version_master.h>
#pragma clang diagnostic pop

/// The output of the packer.
typedef struct {
    uint8_t *end;
} output;

static int append(void *data, const char *bytes, size_t count) {
    output *out = data;
    memcpy(out->end, bytes, count);
    out->end += count;
    return 0;
}

#define WRITE(CALL)                                                                                                    \
    output out = {bytes};                                                                                              \
    msgpack_packer packer;                                                                                             \
    msgpack_packer_init(&packer, &out, append);                                                                        \
    CALL;                                                                                                              \
    return (size_t)(out.end - bytes)

size_t cmp_write_object(size_t count, uint8_t *bytes) { WRITE(msgpack_pack_map(&packer, count)); }

size_t cmp_write_array(size_t count, uint8_t *bytes) { WRITE(msgpack_pack_array(&packer, count)); }

size_t cmp_write_string(size_t length, uint8_t *bytes) { WRITE(msgpack_pack_str(&packer, length)); }

size_t cmp_write_integer(int64_t number, uint8_t *bytes) { WRITE(msgpack_pack_int64(&packer, number)); }

size_t cmp_write_unsigned(uint64_t number, uint8_t *bytes) { WRITE(msgpack_pack_uint64(&packer, number)); }

size_t cmp_write_double(double number, uint8_t *bytes) { WRITE(msgpack_pack_double(&packer, number)); }

size_t cmp_write_bool(bool value, uint8_t *bytes) {
    WRITE(value ? msgpack_pack_true(&packer) : msgpack_pack_false(&packer));
}

size_t cmp_write_null(uint8_t *bytes) { WRITE(msgpack_pack_nil(&packer)); }

#define CMP_TEXT(x) #x
#define CMP_VERSION(a, b, c) CMP_TEXT(a) "." CMP_TEXT(b) "." CMP_TEXT(c)

const char *cmp_version(void) {
    return CMP_VERSION(MSGPACK_VERSION_MAJOR, MSGPACK_VERSION_MINOR, MSGPACK_VERSION_REVISION);
}
