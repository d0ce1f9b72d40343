// A chain of stages (ten by default), each called through a virtual function. A vector of 64 points is moved from stage to stage.
// The stages are chosen at run time, as in a pipeline that is read from a file.
//
// usage: chain FRAMES ROUNDS [emit|fill] [STREAMS] [STAGES]
//
//   emit  each stage emits the payload that it receives, in a new frame
//   fill  each stage fills its own memory with 64 points, emits it, and reuses the memory of the frame that it received
//
// With STREAMS, the frames come from that many streams in turn, and every stream has its own chain.
// Reports the processor time of the measured stages: the fastest round of a chain with 1 + STAGES stages minus the fastest round of
// a chain with one stage. The two chains run alternately.
#include "yardstick.h"

#include <cstring>
#include <limits>
#include <memory>
#include <unordered_map>

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

struct Emit final : Stage {
    Stage *next;
    explicit Emit(Stage *next) : next(next) {}
    void receive(Frame frame) override {
        next->receive(Frame{frame.timestamp, frame.sequence, std::move(frame.samples)});
    }
};

struct Fill final : Stage {
    Stage *next;
    std::vector<Sample> memory;
    explicit Fill(Stage *next) : next(next), memory(64) {}
    void receive(Frame frame) override {
        for (size_t i = 0; i < memory.size(); i++) {
            memory[i].x = frame.samples[i].x + 1;
            memory[i].y = frame.samples[i].y;
        }
        std::swap(memory, frame.samples);
        next->receive(Frame{frame.timestamp, frame.sequence, std::move(frame.samples)});
    }
};

/// Moves the frame back to the beginning of the chain, so that the next frame needs no allocation.
struct Last final : Stage {
    Frame *home;
    double count = 0;
    void receive(Frame frame) override {
        count += double(frame.samples.size());
        *home = std::move(frame);
    }
};

/// A chain, and the one frame that passes through the chain again and again.
struct Chain {
    Frame home{0, 0, std::vector<Sample>(64)};
    Last last;
    std::vector<std::unique_ptr<Stage>> stages;
    Stage *head = &last;

    Chain(int count, bool fills) {
        last.home = &home;
        for (int i = 0; i < count; i++) {
            if (fills)
                stages.push_back(std::make_unique<Fill>(head));
            else
                stages.push_back(std::make_unique<Emit>(head));
            head = stages.back().get();
        }
    }

    void take() {
        home.timestamp++;
        head->receive(std::move(home));
    }
};

/// One chain per stream.
struct Streams {
    std::unordered_map<std::string, std::unique_ptr<Chain>> chains;
    std::vector<std::string> names;

    Streams(int count, int streams, bool fills) {
        for (int i = 0; i < streams; i++) {
            names.push_back("pen/" + std::to_string(i + 1));
            chains[names.back()] = std::make_unique<Chain>(count, fills);
        }
    }

    double count() const {
        double sum = 0;
        for (auto &chain : chains) sum += chain.second->last.count;
        return sum;
    }

    /// Runs a round and returns its processor time, in nanoseconds per frame.
    double round(int frames) {
        double began = processor_ns();
        size_t stream = 0;
        for (int i = 0; i < frames; i++) {
            chains.find(names[stream])->second->take();
            if (++stream == names.size()) stream = 0;
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
    bool fills = argc > 3 && !std::strcmp(argv[3], "fill");
    int streams = argc > 4 ? std::atoi(argv[4]) : 1;
    int stages = argc > 5 ? std::atoi(argv[5]) : 10;
    Streams one(1, streams, fills), more(1 + stages, streams, fills);
    double least = std::numeric_limits<double>::infinity(), quickest_one = least, quickest_more = least;
    for (int i = 0; i < rounds; i++) {
        quickest_one = std::min(quickest_one, one.round(frames));
        quickest_more = std::min(quickest_more, more.round(frames));
    }
    double difference = quickest_more - quickest_one;
    if (difference <= 0) die("more stages took no more time than one: the machine is too busy to measure");
    double items = double(frames) * rounds;
    report(difference * items, items, more.count() / items);
}
