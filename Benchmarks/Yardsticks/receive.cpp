// Receives messages and does nothing else: a plain loop over zmq_msg_recv.
//
// usage: receive ENDPOINT COUNT
//
// Binds a pull socket, says `ready`, waits for the first message, and measures from there to the last.
#include "yardstick.h"

#include <zmq.h>

int main(int argc, char **argv) {
    if (argc < 3) die("usage: receive ENDPOINT COUNT");
    double count = std::atof(argv[2]);
    void *context = zmq_ctx_new();
    void *socket = zmq_socket(context, ZMQ_PULL);
    if (zmq_bind(socket, argv[1]) != 0) die("cannot bind", zmq_strerror(zmq_errno()));
    std::fprintf(stderr, "ready\n");
    double bytes = 0, began = 0;
    for (double i = 0; i < count; i++) {
        int more = 1;
        // A message is a topic and a payload.
        while (more) {
            zmq_msg_t message;
            zmq_msg_init(&message);
            if (zmq_msg_recv(&message, socket, 0) < 0) die("cannot receive", zmq_strerror(zmq_errno()));
            bytes += double(zmq_msg_size(&message));
            more = zmq_msg_more(&message);
            zmq_msg_close(&message);
        }
        if (i == 0) began = now_ns();
    }
    report(now_ns() - began, count - 1, bytes);
    zmq_close(socket);
    zmq_ctx_term(context);
}
