"""Writes or reads an MCAP file with the `mcap` package, a yardstick for recordings. Measures processor time.

usage: record.py write MESSAGES FILE none|zstd (same chunks and checksums as bench mcap-write)
       record.py read FILE (by log time, with the defaults of the package; unlike ours, it verifies no checksums)
"""

import json
import sys
import time

from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer

STREAMS = 4
PAUSE_NS = 5_000_000


def write(messages, path, how):
    compression = CompressionType.ZSTD if how == "zstd" else CompressionType.NONE
    with open(messages, "rb") as file:
        lines = [line.rstrip(b"\n") for line in file]
    began = time.process_time_ns()
    total = 0
    with open(path, "wb") as file:
        writer = Writer(file, chunk_size=256 << 10, compression=compression, enable_data_crcs=True)
        writer.start(profile="", library="")
        schema = writer.register_schema("message", "jsonschema", b"{}")
        channels = [writer.register_channel(f"pen/{i + 1}", "json", schema) for i in range(STREAMS)]
        for number, line in enumerate(lines):
            log_time = number * PAUSE_NS
            writer.add_message(
                channels[number % STREAMS], log_time=log_time, publish_time=log_time, sequence=number // STREAMS,
                data=line)
            total += len(line) + line[len(line) // 2]
        writer.finish()
    return time.process_time_ns() - began, len(lines), total


def read(path):
    began = time.process_time_ns()
    count = total = 0
    with open(path, "rb") as file:
        for _, _, message in make_reader(file).iter_messages():
            data = message.data
            count += 1
            total += len(data) + data[len(data) // 2]
    return time.process_time_ns() - began, count, total


took, count, total = write(*sys.argv[2:5]) if sys.argv[1] == "write" else read(sys.argv[2])
print(json.dumps({"ns": took / max(1, count), "items": count, "check": total}))
