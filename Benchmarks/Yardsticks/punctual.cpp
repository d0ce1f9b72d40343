// `receive` receives a replay and reports the 99th percentile of the frames' deviations from their due times. `send` is a plain
// replay: when the first subscriber has connected, it sends each line at its due time.
//
// usage: punctual receive ENDPOINT COUNT
//        punctual send ENDPOINT LINES
//
// The due time of a frame is the time of the first frame plus the difference of their `t_us`. Early frames count like late ones.
#include "paced.h"

#include <string_view>

namespace {

/// Returns the timestamp of a frame, in nanoseconds.
double due_ns(std::string_view frame) {
    constexpr std::string_view key = "\"t_us\":";
    size_t place = frame.find(key);
    if (place == frame.npos) die("a frame has no t_us");
    return 1000 * std::atof(std::string(frame.substr(place + key.size(), 20)).c_str());
}

void receive(void *context, const char *endpoint, size_t count) {
    const int patience_ms = 10000;
    void *socket = zmq_socket(context, ZMQ_SUB);
    zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0);
    zmq_setsockopt(socket, ZMQ_RCVTIMEO, &patience_ms, sizeof patience_ms);
    if (zmq_connect(socket, endpoint) != 0) die("cannot connect", zmq_strerror(zmq_errno()));
    std::vector<double> differences;
    double first = 0;
    char text[4096];
    while (differences.size() < count) {
        int size = zmq_recv(socket, text, sizeof text, 0);
        double now = now_ns();
        if (size < 0) die("frames are missing");
        std::string_view frame(text, std::min(size_t(size), sizeof text));
        // Skip the topic, which precedes every frame.
        if (frame.empty() || frame[0] != '{') continue;
        if (differences.empty()) first = now - due_ns(frame);
        differences.push_back(std::abs(now - first - due_ns(frame)));
    }
    zmq_close(socket);
    report(quantile(differences, 0.99), 1, double(count));
}

void send(void *context, const char *endpoint, const char *path) {
    std::string text = read_file(path, 0);
    void *socket = zmq_socket(context, ZMQ_XPUB);
    if (zmq_bind(socket, endpoint) != 0) die("cannot bind", zmq_strerror(zmq_errno()));
    char subscription[1];
    zmq_recv(socket, subscription, sizeof subscription, 0);
    double first = now_ns();
    for (size_t start = 0; start < text.size();) {
        size_t end = std::min(text.find('\n', start), text.size());
        std::string_view frame(text.data() + start, end - start);
        double due = first + due_ns(frame);
        while (now_ns() < due) std::this_thread::sleep_for(std::chrono::nanoseconds(int64_t(due - now_ns())));
        zmq_send(socket, "pen", 3, ZMQ_SNDMORE);
        zmq_send(socket, frame.data(), frame.size(), 0);
        start = end + 1;
    }
    zmq_close(socket);
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 4) die("usage: punctual receive ENDPOINT COUNT, or punctual send ENDPOINT LINES");
    void *context = zmq_ctx_new();
    if (std::string_view(argv[1]) == "send")
        send(context, argv[2], argv[3]);
    else
        receive(context, argv[2], size_t(std::atoll(argv[3])));
    zmq_ctx_term(context);
}
