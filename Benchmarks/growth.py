"""Measures how the cost per item grows with the number of items, streams and stages. For templates, see the cases `match-…`."""

import functools
import json

from harness import BENCH, OUT, Case, Count, generated, measured
from whole import configuration, run_configuration, run_pipectl, timed


def in_streams(count, streams):
    """Returns a file of strokes whose streams take turns. `streams` is the number of streams."""
    if streams == 1:
        return generated("strokes", count)
    source, path = generated("strokes", count), OUT / f"strokes-{count}-of-{streams}.jsonl"
    if not path.exists():
        with open(source) as file, open(path.with_suffix(".tmp"), "w") as out:
            for number, line in enumerate(file):
                stroke = json.loads(line)
                stroke["stream"], stroke["seq"] = f"pen/{number % streams + 1}", number // streams
                out.write(json.dumps(stroke, separators=(",", ":")) + "\n")
        path.with_suffix(".tmp").rename(path)
    return path


def items(count):
    strokes, templates = generated("strokes", count), generated("templates", 16)
    return (
        lambda: run_pipectl(strokes, OUT / "ours.csv", processor_time=True) / count,
        lambda: timed([OUT / "recognize", templates, strokes], OUT / "theirs.txt", processor_time=True) / count)


class Streams:
    """The whole job for a fixed number of strokes and a growing number of streams. The pipeline keeps the state of all streams."""

    def __init__(self, count):
        self.count = count

    @functools.cached_property
    def configuration(self):
        return configuration(decode=", max_jump_s: 100000000", head=f"max_streams: {self.count}\n")

    @functools.cache
    def time(self, streams):
        strokes = in_streams(self.count, streams)
        return min(
            run_configuration(self.configuration, strokes, OUT / "ours.csv", processor_time=True)
            for _ in range(3)) / self.count

    def memory(self, streams):
        path = OUT / "peak.txt"
        run_configuration(self.configuration, in_streams(self.count, streams), OUT / "ours.csv", launcher=(OUT / "peak", path))
        return int(path.read_text())


def growth_cases(quick):
    for count in (1_000, 10_000, 100_000, *([] if quick else [1_000_000])):
        yield Case(f"items-{count}", f"processor time of {count:,} strokes to labels, each", "ns/stroke", *items(count), None)
    streams = Streams(20_000 if quick else 100_000)
    for number in (1, 10, 100, 1_000, 10_000, *([] if quick else [100_000])):
        yield Count(
            f"streams-{number}", f"{streams.count:,} strokes in {number:,} stream{'s' * (number > 1)}, against one stream", "ns/stroke",
            lambda number=number: (streams.time(number), streams.time(1)), 2 if number == streams.count else None)
    yield Count(
        "streams-memory", "peak memory with a stream for every stroke", "bytes", lambda: (streams.memory(streams.count), None),
        300e6)
    rounds = [20_000, 5 if quick else 15]
    for number in (1, 2, 5, 10, 20, 50):
        yield Case(
            f"stages-{number}", f"{number} more emitting stage{'s' * (number > 1)}", "ns/frame",
            lambda number=number: measured([BENCH, "chain", *rounds, "concrete", 1, number], on_one_core=True),
            lambda number=number: measured([OUT / "chain", *rounds, "emit", 1, number], on_one_core=True), None)
