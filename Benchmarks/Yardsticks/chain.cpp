// Ten stages that do nothing, each behind a virtual call, moving the same vector of 64 points from one to the next.
// Which stages stand in the chain is decided when the program runs, as in a pipeline read from a file.
//
// usage: chain FRAMES ROUNDS
//
// Reports what ten stages take: the quickest round of a chain of eleven less the quickest of a chain of one, run in turn,
// in processor time.
#include "yardstick.h"

#include <limits>
#include <memory>

#include <time.h>

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

/// A chain, and the frame that goes round in it.
struct Chain {
    Frame home{0, 0, std::vector<Sample>(64)};
    Last last;
    std::vector<std::unique_ptr<Stage>> stages;
    Stage *head = &last;

    Chain(int count, bool shifts) {
        last.home = &home;
        for (int i = 0; i < count; i++) {
            if (shifts)
                stages.push_back(std::make_unique<Shift>(head));
            else
                stages.push_back(std::make_unique<NoOp>(head));
            head = stages.back().get();
        }
    }

    /// Processor time of a round, in nanoseconds a frame.
    double round(int frames) {
        double began = processor_ns();
        for (int i = 0; i < frames; i++) {
            home.timestamp++;
            head->receive(std::move(home));
        }
        return (processor_ns() - began) / frames;
    }

    static double processor_ns() {
        timespec time;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return double(time.tv_sec) * 1e9 + double(time.tv_nsec);
    }
};

int main(int argc, char **argv) {
    int frames = argc > 1 ? std::atoi(argv[1]) : 100000;
    int rounds = argc > 2 ? std::atoi(argv[2]) : 25;
    bool shifts = argc > 3;
    Chain one(1, shifts), eleven(11, shifts);
    double least = std::numeric_limits<double>::infinity(), quickest_one = least, quickest_eleven = least;
    for (int i = 0; i < rounds; i++) {
        quickest_one = std::min(quickest_one, one.round(frames));
        quickest_eleven = std::min(quickest_eleven, eleven.round(frames));
    }
    double ten = quickest_eleven - quickest_one;
    if (ten <= 0) die("eleven stages took no more time than one: the machine is too busy to measure");
    double items = double(frames) * rounds;
    report(ten * items, items, eleven.last.count / items);
}
