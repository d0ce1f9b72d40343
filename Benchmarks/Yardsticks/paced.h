// Sends hands at an even pace, with their send times, and computes quantiles of the measured latencies.
#pragma once

#include "yardstick.h"

#include <thread>
#include <zmq.h>

/// The number of initial messages that are not measured.
constexpr int warm_up = 100;

/// Sends hands of 21 points, each as a topic and JSON. `t_us` is the time at which a message was sent.
inline void send_paced(void *socket, int count, double hz) {
    const double pause_ns = 1e9 / hz;
    std::string points;
    for (int i = 0; i < 63; i++) points += (i ? "," : "") + std::to_string(0.1 + i * 0.0123);
    double next = now_ns();
    // If the sender is late, it sends messages in a burst. Increase `time`, because no two frames of a stream may have the same
    // timestamp.
    int64_t time = 0;
    for (int i = 0; i < count; i++, next += pause_ns) {
        while (now_ns() < next) std::this_thread::sleep_for(std::chrono::nanoseconds(int64_t(next - now_ns())));
        time = std::max(time + 1, int64_t(now_ns() / 1000));
        std::string text = "{\"v\":1,\"kind\":\"hands\",\"stream\":\"hand\",\"seq\":" + std::to_string(i) +
                           ",\"t_us\":" + std::to_string(time) +
                           ",\"hands\":[{\"topology\":\"hand21\",\"space\":\"normalized\",\"fields\":\"xyz\",\"pts\":[" +
                           points + "],\"handedness\":\"Left\",\"score\":0.9}]}";
        zmq_send(socket, "hand", 4, ZMQ_SNDMORE);
        zmq_send(socket, text.data(), text.size(), 0);
    }
}

/// Returns a quantile of the times. `part` is from 0 to 1: with 0.99, 99 % of the times are not greater than the result.
inline double quantile(std::vector<double> times, double part) {
    if (times.empty()) die("nothing was measured");
    std::sort(times.begin(), times.end());
    return times[size_t(part * double(times.size() - 1))];
}
