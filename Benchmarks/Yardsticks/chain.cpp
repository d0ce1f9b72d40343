// Ten stages that do nothing, each behind a virtual call, moving the same vector of 64 points from one to the next.
// Which stages stand in the chain is decided when the program runs, as in a pipeline read from a file.
//
// usage: chain STAGES [SECONDS]
#include "yardstick.h"

#include <memory>

struct Frame {
    int64_t timestamp;
    int64_t sequence;
    std::vector<Sample> samples;
};

struct Stage {
    virtual ~Stage() = default;
    virtual void receive(Frame frame) = 0;
};

struct NoOp final : Stage {
    Stage *next;
    explicit NoOp(Stage *next) : next(next) {}
    void receive(Frame frame) override { next->receive(std::move(frame)); }
};

/// Another one, so that no compiler can know which is called.
struct Shift final : Stage {
    Stage *next;
    explicit Shift(Stage *next) : next(next) {}
    void receive(Frame frame) override {
        frame.timestamp++;
        next->receive(std::move(frame));
    }
};

/// Hands the vector back, so that the next frame allocates nothing.
struct Last final : Stage {
    Frame *home;
    double count = 0;
    void receive(Frame frame) override {
        count += double(frame.samples.size());
        *home = std::move(frame);
    }
};

int main(int argc, char **argv) {
    int stages = argc > 1 ? std::atoi(argv[1]) : 10;
    double seconds = seconds_asked(argc, argv, 2);
    bool shifts = argc > 3;
    Frame home{0, 0, std::vector<Sample>(64)};
    Last last;
    last.home = &home;
    std::vector<std::unique_ptr<Stage>> chain;
    Stage *head = &last;
    for (int i = 0; i < stages; i++) {
        if (shifts)
            chain.push_back(std::make_unique<Shift>(head));
        else
            chain.push_back(std::make_unique<NoOp>(head));
        head = chain.back().get();
    }
    double frames = 0, began = now_ns(), end = began + seconds * 1e9;
    do {
        for (int i = 0; i < 100000; i++) {
            home.timestamp++;
            head->receive(std::move(home));
        }
        frames += 100000;
    } while (now_ns() < end);
    double took = now_ns() - began;
    report(took, frames, last.count / frames);
}
