// Forwards messages and does nothing else. Any program between two sockets costs at least this much.
//
// usage: relay FROM TO
//
// Binds a pull socket and a push socket, prints `ready`, and runs until it is killed.
#include "yardstick.h"

#include <zmq.h>

int main(int argc, char **argv) {
    if (argc < 3) die("usage: relay FROM TO");
    void *context = zmq_ctx_new();
    void *from = zmq_socket(context, ZMQ_PULL), *to = zmq_socket(context, ZMQ_PUSH);
    if (zmq_bind(from, argv[1]) != 0 || zmq_bind(to, argv[2]) != 0) die("cannot bind", zmq_strerror(zmq_errno()));
    std::fprintf(stderr, "ready\n");
    for (;;) {
        zmq_msg_t message;
        zmq_msg_init(&message);
        if (zmq_msg_recv(&message, from, 0) < 0) die("cannot receive", zmq_strerror(zmq_errno()));
        int more = zmq_msg_more(&message);
        if (zmq_msg_send(&message, to, more ? ZMQ_SNDMORE : 0) < 0) die("cannot send", zmq_strerror(zmq_errno()));
    }
}
