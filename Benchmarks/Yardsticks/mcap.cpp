// Measures the processor time of writing small messages into an MCAP file, or of reading them from one.
//
// usage: mcap write MESSAGES FILE none|zstd
//        mcap read FILE
//
// Writes the same files as the framework, byte for byte: chunks of 256 KiB with an index per channel, compressed with zstd at level
// 1, checksums of every chunk, of the data section and of the summary, and a summary with statistics and chunk indexes. Reads from
// the beginning to the end, and verifies the checksums of the chunks and of the data section.
#include "mcap.h"

#include <string_view>

namespace {

constexpr int streams = 4;
constexpr size_t chunk_size = 256 << 10;
/// The time between two messages.
constexpr uint64_t pause_ns = 5000000;

/// The check value of all messages, which must be the same for every writer and reader.
struct MessageSum {
    double messages = 0;
    uint64_t sum = 0;
    void add(const char *data, size_t size) {
        messages++;
        sum += size + uint8_t(data[size / 2]);
    }
};

MessageSum write(const std::vector<std::string_view> &lines, const char *path, bool packs) {
    MessageSum sum;
    Writer writer(path, packs);
    std::string schema = "{}";
    for (size_t i = 0; i < lines.size(); i++) {
        auto channel = uint16_t(i % streams);
        if (i == 0) writer.schema(1, "message", "jsonschema", schema);
        if (i < streams) writer.channel(channel, 1, "pen/" + std::to_string(i + 1), "json");
        writer.message(channel, uint32_t(i / streams), i * pause_ns, lines[i]);
        sum.add(lines[i].data(), lines[i].size());
        if (writer.chunk.size() >= chunk_size) writer.flush();
    }
    writer.finish();
    return sum;
}

MessageSum read(const char *path) {
    MessageSum sum;
    Reader reader(path);
    while (reader.next()) {
        const char *record = reader.records.data(), *end = record + reader.records.size();
        while (record < end) {
            if (end - record < 9) die("a record is cut off");
            auto size = load<uint64_t>(record + 1);
            if (size > size_t(end - record) - 9) die("a record is cut off");
            if (record[0] == Opcode::message) {
                if (size < 22) die("a message is too short");
                Message message = {
                    load<uint16_t>(record + 9), load<uint32_t>(record + 11), load<uint64_t>(record + 15),
                    load<uint64_t>(record + 23), {record + 31, size - 22}};
                keep(message);
                sum.add(message.data.data(), message.data.size());
            }
            record += 9 + size;
        }
    }
    return sum;
}

} // namespace

int main(int argc, char **argv) {
    bool writes = argc > 4 && std::string_view(argv[1]) == "write";
    if (!writes && argc < 3) die("usage: mcap write MESSAGES FILE none|zstd, or mcap read FILE");
    std::string text = writes ? read_file(argv[2], 0) : "";
    std::vector<std::string_view> lines;
    for (size_t start = 0; start < text.size();) {
        size_t end = std::min(text.find('\n', start), text.size());
        lines.emplace_back(text.data() + start, end - start);
        start = end + 1;
    }
    double began = processor_ns();
    MessageSum sum = writes ? write(lines, argv[3], std::string_view(argv[4]) == "zstd") : read(argv[2]);
    report(processor_ns() - began, sum.messages, double(sum.sum));
}
