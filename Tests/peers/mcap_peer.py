"""Reads and writes MCAP files with the library of the format's authors.

mcap_peer.py read FILE          prints a line for each message (log time, publish time, sequence, topic, encoding, schema, data in
                                hexadecimal), then the other records
mcap_peer.py write FILE HOW     writes a file with the compression HOW: none, lz4 or zstd
mcap_peer.py speed FILE HOW N   writes and reads N small messages, and prints the time for each in nanoseconds
"""

import sys
import time

from mcap.reader import NonSeekingReader, SeekingReader
from mcap.writer import CompressionType, Writer

HOW = {"none": CompressionType.NONE, "lz4": CompressionType.LZ4, "zstd": CompressionType.ZSTD}


def read(path):
    with open(path, "rb") as file:
        reader = SeekingReader(file, validate_crcs=True)
        seeking = []
        for schema, channel, message in reader.iter_messages():
            name = schema.name if schema else "-"
            seeking.append(
                f"message {message.log_time} {message.publish_time} {message.sequence} {channel.topic} "
                f"{channel.message_encoding} {name} {message.data.hex()}"
            )
        print("\n".join(seeking))
        for attachment in reader.iter_attachments():
            print("attachment", attachment.log_time, attachment.name, attachment.media_type, attachment.data.hex())
        for metadata in reader.iter_metadata():
            print("metadata", metadata.name, sorted(metadata.metadata.items()))
        summary = reader.get_summary()
        print("statistics", summary.statistics.message_count, summary.statistics.chunk_count)
    with open(path, "rb") as file:
        count = sum(1 for _ in NonSeekingReader(file, validate_crcs=True).iter_messages())
        print("streaming", count)


def write(path, how):
    with open(path, "wb") as file:
        writer = Writer(file, chunk_size=4096, compression=HOW[how], enable_data_crcs=True)
        writer.start(profile="", library="peer")
        schema = writer.register_schema("point", "jsonschema", b'{"type":"object"}')
        channels = [
            writer.register_channel(topic, "json", schema if topic == "a" else 0, {"topic": topic}) for topic in "ab"
        ]
        for number in range(500):
            writer.add_message(
                channels[number % 2], log_time=number * 10 + 7 * (number % 3), publish_time=number, sequence=number,
                data=b'{"number":%d}' % number,
            )
        writer.add_attachment(create_time=1, log_time=2, name="a.txt", media_type="text/plain", data=b"attached")
        writer.add_metadata("about", {"key": "value"})
        writer.finish()


def speed(path, how, count):
    data = b'{"v":1,"kind":"landmarks","stream":"hand","seq":1,"t_us":1,"pts":[0.123456,0.123456,0.1]}'
    start = time.perf_counter()
    with open(path, "wb") as file:
        writer = Writer(file, compression=HOW[how])
        writer.start(profile="", library="peer")
        channel = writer.register_channel("hand", "json", 0)
        for number in range(count):
            writer.add_message(channel, log_time=number * 1000, publish_time=number * 1000, sequence=number, data=data)
        writer.finish()
    written = time.perf_counter()
    with open(path, "rb") as file:
        total = sum(1 for _ in SeekingReader(file).iter_messages())
    done = time.perf_counter()
    print(f"write {(written - start) / count * 1e9:.0f} ns read {(done - written) / total * 1e9:.0f} ns")


if __name__ == "__main__":
    if sys.argv[1] == "read":
        read(sys.argv[2])
    elif sys.argv[1] == "write":
        write(sys.argv[2], sys.argv[3])
    else:
        speed(sys.argv[2], sys.argv[3], int(sys.argv[4]))
