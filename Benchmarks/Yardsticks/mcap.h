// A plain writer and reader of MCAP files, based on libzstd and zlib's CRC-32.
#pragma once

#include "yardstick.h"

#include <string_view>
#include <zlib.h>
#include <zstd.h>

namespace Opcode {
constexpr char header = 1, footer = 2, schema = 3, channel = 4, message = 5, chunk = 6, message_index = 7, chunk_index = 8,
               statistics = 11, summary_offset = 14, data_end = 15;
}

constexpr char magic[] = "\x89MCAP0\r\n";

struct Message {
    uint16_t channel;
    uint32_t sequence;
    uint64_t log_time, publish_time;
    std::string_view data;
};

template <class Number> Number load(const char *bytes) {
    Number number;
    std::memcpy(&number, bytes, sizeof number);
    return number;
}

template <class Number> void put(std::string &to, Number number) {
    to.append(reinterpret_cast<const char *>(&number), sizeof number);
}

inline void put(std::string &to, std::string_view text) {
    put(to, uint32_t(text.size()));
    to.append(text);
}

inline uint32_t checksum(const char *bytes, size_t count, uint32_t before = 0) {
    return uint32_t(crc32_z(before, reinterpret_cast<const Bytef *>(bytes), count));
}

/// Writes a record whose content is written by `body`.
template <class Body> void record(std::string &to, char opcode, Body body) {
    to.push_back(opcode);
    size_t start = to.size();
    put(to, uint64_t(0));
    body();
    uint64_t size = to.size() - start - 8;
    std::memcpy(&to[start], &size, 8);
}

class Writer {
  public:
    Writer(const char *path, bool packs) : packs(packs), file(std::fopen(path, "wb")) {
        if (!file) die("cannot write", path);
        std::setvbuf(file, nullptr, _IONBF, 0);
        out.append(magic, 8);
        record(out, Opcode::header, [&] { put(out, std::string_view()), put(out, std::string_view()); });
        emit();
    }

    ~Writer() {
        ZSTD_freeCCtx(zstd);
        std::fclose(file);
    }

    /// The records of the current chunk. They are not written yet.
    std::string chunk;

    void schema(uint16_t id, std::string_view name, std::string_view encoding, std::string_view data) {
        size_t start = chunk.size();
        record(chunk, Opcode::schema, [&] { put(chunk, id), put(chunk, name), put(chunk, encoding), put(chunk, data); });
        schemas.append(chunk, start);
    }

    void channel(uint16_t id, uint16_t schema, std::string_view topic, std::string_view encoding) {
        size_t start = chunk.size();
        record(chunk, Opcode::channel, [&] {
            put(chunk, id), put(chunk, schema), put(chunk, topic), put(chunk, encoding), put(chunk, uint32_t(0));
        });
        channels.append(chunk, start);
        if (indexes.size() <= id) indexes.resize(id + 1), counts.resize(id + 1);
    }

    void message(uint16_t channel, uint32_t sequence, uint64_t time, std::string_view data) {
        indexes[channel].push_back({time, chunk.size()});
        if (pending == 0) first = last = time;
        first = std::min(first, time), last = std::max(last, time);
        pending++;
        chunk.push_back(Opcode::message);
        put(chunk, uint64_t(22 + data.size()));
        put(chunk, channel);
        put(chunk, sequence);
        put(chunk, time);
        put(chunk, time);
        chunk.append(data);
    }

    void flush() {
        if (chunk.empty()) return;
        std::string_view records = chunk;
        if (packs) {
            packed.resize(ZSTD_compressBound(chunk.size()));
            size_t size = ZSTD_compressCCtx(zstd, &packed[0], packed.size(), chunk.data(), chunk.size(), 1);
            if (ZSTD_isError(size)) die(ZSTD_getErrorName(size));
            records = std::string_view(packed.data(), size);
        }
        uint64_t start = written;
        record(out, Opcode::chunk, [&] {
            put(out, first), put(out, last), put(out, uint64_t(chunk.size()));
            put(out, checksum(chunk.data(), chunk.size()));
            put(out, compression()), put(out, uint64_t(records.size()));
            out.append(records);
        });
        uint64_t length = out.size();
        std::string offsets;
        for (size_t id = 0; id < indexes.size(); id++) {
            if (indexes[id].empty()) continue;
            put(offsets, uint16_t(id)), put(offsets, written + out.size());
            record(out, Opcode::message_index, [&] {
                put(out, uint16_t(id)), put(out, uint32_t(indexes[id].size() * sizeof(Place)));
                out.append(reinterpret_cast<const char *>(indexes[id].data()), indexes[id].size() * sizeof(Place));
            });
            counts[id] += indexes[id].size();
            indexes[id].clear();
        }
        record(chunks, Opcode::chunk_index, [&] {
            put(chunks, first), put(chunks, last), put(chunks, start), put(chunks, length), put(chunks, std::string_view(offsets));
            put(chunks, out.size() - length), put(chunks, compression());
            put(chunks, uint64_t(records.size())), put(chunks, uint64_t(chunk.size()));
        });
        if (messages == 0) earliest = first, latest = last;
        earliest = std::min(earliest, first), latest = std::max(latest, last);
        messages += pending;
        chunk_count++;
        chunk.clear();
        pending = 0;
        emit();
    }

    void finish() {
        flush();
        record(out, Opcode::data_end, [&] { put(out, sum); });
        emit();
        uint64_t start = written;
        std::string statistics, groups;
        record(statistics, Opcode::statistics, [&] {
            put(statistics, messages), put(statistics, uint16_t(1)), put(statistics, uint32_t(counts.size()));
            put(statistics, uint32_t(0)), put(statistics, uint32_t(0)), put(statistics, chunk_count);
            put(statistics, earliest), put(statistics, latest), put(statistics, uint32_t(counts.size() * 10));
            for (size_t id = 0; id < counts.size(); id++) put(statistics, uint16_t(id)), put(statistics, counts[id]);
        });
        for (auto [opcode, group] :
             {std::pair{Opcode::schema, &schemas}, {Opcode::channel, &channels}, {Opcode::statistics, &statistics},
              {Opcode::chunk_index, &chunks}}) {
            record(groups, Opcode::summary_offset, [&, opcode = opcode, group = group] {
                groups.push_back(opcode), put(groups, start + out.size()), put(groups, uint64_t(group->size()));
            });
            out += *group;
        }
        uint64_t offsets = start + out.size();
        out += groups;
        record(out, Opcode::footer, [&] { put(out, start), put(out, offsets), put(out, uint32_t(0)); });
        uint32_t crc = checksum(out.data(), out.size() - 4);
        std::memcpy(&out[out.size() - 4], &crc, 4);
        out.append(magic, 8);
        emit();
    }

  private:
    struct Place {
        uint64_t time, offset;
    };

    std::string_view compression() const { return packs ? "zstd" : ""; }

    void emit() {
        if (std::fwrite(out.data(), 1, out.size(), file) != out.size()) die("cannot write");
        sum = checksum(out.data(), out.size(), sum);
        written += out.size();
        out.clear();
    }

    bool packs;
    FILE *file;
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    std::string out, packed, schemas, channels, chunks;
    std::vector<std::vector<Place>> indexes;
    std::vector<uint64_t> counts;
    uint64_t written = 0, pending = 0, first = 0, last = 0, messages = 0, earliest = 0, latest = 0;
    uint32_t sum = 0, chunk_count = 0;
};

/// Reads the chunks of a file one after another.
class Reader {
  public:
    explicit Reader(const char *path) : file(std::fopen(path, "rb")) {
        if (!file) die("cannot read", path);
        std::setvbuf(file, nullptr, _IOFBF, 1 << 20);
        take(8);
        if (std::memcmp(content.data(), magic, 8) != 0) die("this is not an MCAP file:", path);
    }

    ~Reader() {
        ZSTD_freeDCtx(zstd);
        std::fclose(file);
    }

    /// The records of the current chunk, decompressed.
    std::string_view records;

    /// Moves to the next chunk. Returns false at the end of the data.
    bool next() {
        while (true) {
            uint32_t before = sum;
            take(9);
            char opcode = content[0];
            take(load<uint64_t>(content.data() + 1));
            if (opcode == Opcode::data_end) {
                if (load<uint32_t>(content.data()) != before) die("the data is damaged");
                return false;
            }
            if (opcode != Opcode::chunk) continue;
            if (content.size() < 40) die("a chunk is too short");
            auto size = load<uint64_t>(content.data() + 16);
            auto crc = load<uint32_t>(content.data() + 24);
            auto name = load<uint32_t>(content.data() + 28);
            if (name > content.size() - 40) die("a chunk is too short");
            records = std::string_view(content).substr(40 + name);
            if (name > 0) {
                unpacked.resize(size);
                size_t made = ZSTD_decompressDCtx(zstd, &unpacked[0], size, records.data(), records.size());
                if (ZSTD_isError(made) || made != size) die("a chunk cannot be unpacked");
                records = unpacked;
            }
            if (checksum(records.data(), records.size()) != crc) die("a chunk is damaged");
            return true;
        }
    }

  private:
    void take(uint64_t count) {
        if (count > 1 << 30) die("a record is too large");
        content.resize(count);
        if (std::fread(&content[0], 1, count, file) != count) die("the file is cut off");
        sum = checksum(content.data(), count, sum);
    }

    FILE *file;
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    std::string content, unpacked;
    uint32_t sum = 0;
};
