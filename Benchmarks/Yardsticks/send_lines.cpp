// Sends the lines of a file as fast as possible, each after a topic: unchanged, or converted to MessagePack.
//
// usage: send_lines ENDPOINT FILE json|msgpack TOPIC COUNT
//
// Creates all messages, prints `ready`, and starts to send when it has read a line.
#include "yardstick.h"

#include <msgpack.h>
#include <simdjson.h>
#include <zmq.h>

using namespace simdjson;

namespace {

void pack(msgpack_packer &packer, dom::element value) {
    switch (value.type()) {
    case dom::element_type::OBJECT: {
        dom::object object = value.get_object();
        msgpack_pack_map(&packer, object.size());
        for (auto field : object) {
            msgpack_pack_str_with_body(&packer, field.key.data(), field.key.size());
            pack(packer, field.value);
        }
        break;
    }
    case dom::element_type::ARRAY: {
        dom::array array = value.get_array();
        msgpack_pack_array(&packer, array.size());
        for (auto element : array) pack(packer, element);
        break;
    }
    case dom::element_type::STRING: {
        std::string_view text = value.get_string();
        msgpack_pack_str_with_body(&packer, text.data(), text.size());
        break;
    }
    case dom::element_type::INT64: msgpack_pack_int64(&packer, value.get_int64()); break;
    case dom::element_type::UINT64: msgpack_pack_uint64(&packer, value.get_uint64()); break;
    case dom::element_type::DOUBLE: msgpack_pack_double(&packer, value.get_double()); break;
    case dom::element_type::BOOL: value.get_bool() ? msgpack_pack_true(&packer) : msgpack_pack_false(&packer); break;
    default: msgpack_pack_nil(&packer);
    }
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 6) die("usage: send_lines ENDPOINT FILE json|msgpack TOPIC COUNT");
    bool is_packed = std::string(argv[3]) == "msgpack";
    std::string topic = argv[4];
    long count = std::atol(argv[5]);
    std::string text = read_file(argv[2], SIMDJSON_PADDING);
    const char *end = text.data() + text.size() - SIMDJSON_PADDING;
    std::vector<std::string> messages;
    dom::parser parser;
    for (const char *line = text.data(); line < end && long(messages.size()) < count;) {
        const char *feed = static_cast<const char *>(std::memchr(line, '\n', size_t(end - line)));
        if (!feed) feed = end;
        if (is_packed) {
            msgpack_sbuffer buffer;
            msgpack_sbuffer_init(&buffer);
            msgpack_packer packer;
            msgpack_packer_init(&packer, &buffer, msgpack_sbuffer_write);
            pack(packer, parser.parse(line, size_t(feed - line)));
            messages.emplace_back(buffer.data, buffer.size);
            msgpack_sbuffer_destroy(&buffer);
        } else {
            messages.emplace_back(line, size_t(feed - line));
        }
        line = feed + 1;
    }
    void *context = zmq_ctx_new();
    void *socket = zmq_socket(context, ZMQ_PUSH);
    if (zmq_connect(socket, argv[1]) != 0) die("cannot connect", zmq_strerror(zmq_errno()));
    wait_for_start();
    for (const auto &message : messages) {
        zmq_send(socket, topic.data(), topic.size(), ZMQ_SNDMORE);
        zmq_send(socket, message.data(), message.size(), 0);
    }
    zmq_close(socket);
    zmq_ctx_term(context);
}
