// Receives messages in a plain loop over zmq_msg_recv, and discards them or decodes them as strokes or hands.
//
// usage: receive ENDPOINT COUNT [stroke|json|msgpack [QUANTILE]]
//
// Binds a pull socket, prints `ready`, and measures the time from the first message to the last. With QUANTILE, it measures
// that quantile of the latency instead, from `t_us` until the message is decoded.
//
// `stroke` decodes strokes in JSON; `json` and `msgpack` decode hands. JSON is decoded with simdjson's on-demand parser (compiled for
// AVX2 where the machine has it), MessagePack with libmsgpack's unpacker, into the same structs: all points and strings, stream,
// number and time. This is the least that a user's program would do. For JSON, it checks the version, the kind, the types, and that
// no point is incomplete; for MessagePack, only what the unpacker checks. The structs are reused, so that nothing is allocated. Gaps
// in the numbers are not detected, and a message that cannot be decoded ends the program.
#include "paced.h"
#include "strokes.h"

#include <msgpack.h>

namespace {

bool is(const msgpack_object &key, const char *name) {
    return key.type == MSGPACK_OBJECT_STR && key.via.str.size == std::strlen(name) &&
           std::memcmp(key.via.str.ptr, name, key.via.str.size) == 0;
}

double number(const msgpack_object &value) {
    switch (value.type) {
    case MSGPACK_OBJECT_FLOAT64:
    case MSGPACK_OBJECT_FLOAT32: return value.via.f64;
    case MSGPACK_OBJECT_POSITIVE_INTEGER: return double(value.via.u64);
    case MSGPACK_OBJECT_NEGATIVE_INTEGER: return double(value.via.i64);
    default: die("a value is not a number");
    }
}

std::string text(const msgpack_object &value) { return std::string(value.via.str.ptr, value.via.str.size); }

/// Decodes hands, as Decoder::hands does from JSON.
void unpack_hands(const char *bytes, size_t length, msgpack_unpacked &unpacked, Hands &hands) {
    size_t offset = 0;
    if (msgpack_unpack_next(&unpacked, bytes, length, &offset) != MSGPACK_UNPACK_SUCCESS) die("a message is not MessagePack");
    const auto &map = unpacked.data.via.map;
    for (uint32_t i = 0; i < map.size; i++) {
        const auto &key = map.ptr[i].key, &value = map.ptr[i].val;
        if (is(key, "seq")) hands.sequence = value.via.i64;
        if (is(key, "t_us")) hands.time = value.via.i64;
        if (is(key, "stream")) hands.stream = text(value);
        if (!is(key, "hands")) continue;
        hands.hands.resize(value.via.array.size);
        for (uint32_t h = 0; h < value.via.array.size; h++) {
            Hand &hand = hands.hands[h];
            const auto &fields = value.via.array.ptr[h].via.map;
            for (uint32_t f = 0; f < fields.size; f++) {
                const auto &name = fields.ptr[f].key, &field = fields.ptr[f].val;
                if (is(name, "topology")) hand.topology = text(field);
                if (is(name, "space")) hand.space = text(field);
                if (is(name, "handedness")) hand.handedness = text(field);
                if (is(name, "score")) hand.score = number(field);
                if (!is(name, "pts")) continue;
                const auto &points = field.via.array;
                hand.points.resize(points.size / 3);
                for (uint32_t p = 0; p + 2 < points.size; p += 3) {
                    hand.points[p / 3] = {number(points.ptr[p]), number(points.ptr[p + 1]), number(points.ptr[p + 2])};
                }
            }
        }
    }
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 3) die("usage: receive ENDPOINT COUNT [stroke|json|msgpack [QUANTILE]]");
    double count = std::atof(argv[2]);
    std::string form = argc > 3 ? argv[3] : "";
    const bool is_paced = argc > 4;
    std::vector<double> took;
    void *context = zmq_ctx_new();
    void *socket = zmq_socket(context, ZMQ_PULL);
    if (zmq_bind(socket, argv[1]) != 0) die("cannot bind", zmq_strerror(zmq_errno()));
    std::fprintf(stderr, "ready\n");
    double check = 0, began = 0;
    Decoder decoder;
    Stroke stroke;
    Hands hands;
    std::vector<char> padded;
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    for (double i = 0; i < count; i++) {
        int more = 1;
        // A message consists of a topic and a payload.
        while (more) {
            zmq_msg_t message;
            zmq_msg_init(&message);
            if (zmq_msg_recv(&message, socket, 0) < 0) die("cannot receive", zmq_strerror(zmq_errno()));
            more = zmq_msg_more(&message);
            const char *bytes = static_cast<const char *>(zmq_msg_data(&message));
            size_t length = zmq_msg_size(&message);
            if (form.empty()) {
                check += double(length);
            } else if (!more && form != "msgpack") {
                // simdjson reads beyond the end of the text.
                if (padded.size() < length + SIMDJSON_PADDING) padded.resize(2 * length + SIMDJSON_PADDING);
                std::memcpy(padded.data(), bytes, length);
                if (form == "stroke") {
                    decoder.stroke(padded.data(), length, stroke);
                    check += stroke.samples.back().y;
                } else {
                    decoder.hands(padded.data(), length, hands);
                    for (auto &hand : hands.hands) check += hand.points.back().y;
                }
            } else if (!more) {
                unpack_hands(bytes, length, unpacked, hands);
                for (auto &hand : hands.hands) check += hand.points.back().y;
            }
            zmq_msg_close(&message);
        }
        if (i == 0) began = now_ns();
        if (is_paced && i >= warm_up) took.push_back(now_ns() - double(form == "stroke" ? stroke.time : hands.time) * 1000);
    }
    if (is_paced) {
        report(quantile(took, std::atof(argv[4])), 1, check);
    } else {
        report(now_ns() - began, count - 1, check);
    }
    msgpack_unpacked_destroy(&unpacked);
    zmq_close(socket);
    zmq_ctx_term(context);
}
