// Sends hands at an even pace, with their send times, to the receiver of either side of the benchmark.
//
// usage: pace ENDPOINT COUNT HZ
#include "paced.h"

int main(int argc, char **argv) {
    if (argc < 4) die("usage: pace ENDPOINT COUNT HZ");
    void *context = zmq_ctx_new();
    void *socket = zmq_socket(context, ZMQ_PUSH);
    if (zmq_connect(socket, argv[1]) != 0) die("cannot connect", zmq_strerror(zmq_errno()));
    send_paced(socket, std::atoi(argv[2]), std::atof(argv[3]));
    zmq_close(socket);
    zmq_ctx_term(context);
}
