// Sends hands at an even pace through the program between two endpoints, and measures the latency of each message.
//
// usage: latency TO FROM COUNT HZ
//
// Connects a push and a pull socket. `t_us` of a message is the time at which it was sent, and must come back unchanged. Prints the
// median and the 99th percentile of the latency, in nanoseconds.
#include "paced.h"

int main(int argc, char **argv) {
    if (argc < 5) die("usage: latency TO FROM COUNT HZ");
    const int count = std::atoi(argv[3]);
    void *context = zmq_ctx_new();
    void *to = zmq_socket(context, ZMQ_PUSH), *from = zmq_socket(context, ZMQ_PULL);
    int patience = 20'000;
    zmq_setsockopt(from, ZMQ_RCVTIMEO, &patience, sizeof patience);
    if (zmq_connect(to, argv[1]) != 0 || zmq_connect(from, argv[2]) != 0) die("cannot connect");

    std::thread sender([&] { send_paced(to, count + warm_up, std::atof(argv[4])); });
    std::vector<double> took;
    char text[65536];
    for (int i = 0; i < count + warm_up; i++) {
        int more = 1, length = 0;
        size_t size = sizeof more;
        while (more) {
            length = zmq_recv(from, text, sizeof text - 1, 0);
            if (length < 0) die("nothing came back");
            zmq_getsockopt(from, ZMQ_RCVMORE, &more, &size);
        }
        double arrived = now_ns();
        text[std::min<int>(length, sizeof text - 1)] = 0;
        const char *time = std::strstr(text, "\"t_us\":");
        if (!time) die("no time came back");
        if (i >= warm_up) took.push_back(arrived - std::atof(time + 7) * 1000);
    }
    sender.join();
    std::printf("{\"p50\": %.0f, \"p99\": %.0f}\n", quantile(took, 0.5), quantile(took, 0.99));
    int zero = 0;
    zmq_setsockopt(to, ZMQ_LINGER, &zero, sizeof zero);
    zmq_close(to);
    zmq_close(from);
    zmq_ctx_term(context);
}
