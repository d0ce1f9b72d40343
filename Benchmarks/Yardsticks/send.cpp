// Sends canonical strokes of a given size as fast as possible, to the receiver of either side of the benchmark.
//
// usage: send ENDPOINT COUNT BYTES
//
// Prints `ready`, and starts to send when it has read a line. Every message consists of a topic and a payload of about BYTES bytes
// with its own number and time. The last message ends the stream.
#include "yardstick.h"

#include <zmq.h>

int main(int argc, char **argv) {
    if (argc < 4) die("usage: send ENDPOINT COUNT BYTES");
    int64_t count = std::atoll(argv[2]);
    size_t bytes = size_t(std::atoll(argv[3]));
    void *context = zmq_ctx_new();
    void *socket = zmq_socket(context, ZMQ_PUSH);
    if (zmq_connect(socket, argv[1]) != 0) die("cannot connect", zmq_strerror(zmq_errno()));
    std::string points;
    for (int i = 0; points.size() + 150 < bytes; i++) {
        char point[64];
        std::snprintf(point, sizeof point, "%s%d.%02d,%d.%02d,%d", i ? "," : "", 300 + i, i % 100, 500 - i, i * 7 % 100,
                      i * 8000);
        points += point;
    }
    std::vector<char> message(bytes + 400);
    wait_for_start();
    for (int64_t i = 0; i < count; i++) {
        int length = std::snprintf(
            message.data(), message.size(),
            "{\"v\":1,\"kind\":\"stroke\",\"stream\":\"pen/1\",\"seq\":%lld,\"t_us\":%lld,\"start_us\":%lld,"
            "\"fields\":\"xyt\",\"pts\":[%s]%s}",
            (long long)i, (long long)(i * 1000 + 500), (long long)(i * 1000), points.c_str(),
            i + 1 == count ? ",\"end\":true" : "");
        zmq_send(socket, "pen/1", 5, ZMQ_SNDMORE);
        zmq_send(socket, message.data(), size_t(length), 0);
    }
    zmq_close(socket);
    zmq_ctx_term(context);
}
