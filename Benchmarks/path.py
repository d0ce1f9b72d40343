"""Measures the processor time and the allocations of every step from the file to the label of a stroke."""

import functools
import os

from harness import BENCH, OUT, Count, generated, measured
from whole import allocations_of, run_configuration, steps, timed, written


class Path:
    """The job, built up step by step.

    The cost of a step is the cost of the pipeline with the step minus the cost of the pipeline without it.
    """

    def __init__(self, count):
        self.count = count
        self.stages = steps()

    def configuration(self, length, sink="discard"):
        name = f"path-{length}-{sink.split(':')[0]}"
        return written(name, [lines for _, lines in self.stages[:length]], sink=sink)

    def strokes(self, times):
        return generated("strokes", times * self.count)

    @functools.cached_property
    def yardstick(self):
        """The processor time of the whole job in C++, in nanoseconds per stroke."""
        templates = generated("templates", 16)

        def time(times):
            return min(
                timed([OUT / "recognize", templates, self.strokes(times)], os.devnull, processor_time=True)
                for _ in range(3))

        return (time(2) - time(1)) / self.count

    @functools.cache
    def time(self, length, sink="discard", output=os.devnull):
        """Returns the processor time in nanoseconds per stroke. The difference between two input sizes excludes the start-up."""
        path = self.configuration(length, sink)

        def time(times):
            return min(
                run_configuration(path, self.strokes(times), output, processor_time=True) for _ in range(3))

        return (time(2) - time(1)) / self.count

    @functools.cache
    def allocations(self, length, sink="discard"):
        path = self.configuration(length, sink)
        few, many = (
            allocations_of(lambda counting: run_configuration(path, self.strokes(times), os.devnull, counting))
            for times in (1, 2))
        return (many - few) / self.count

    @functools.cached_property
    def decode(self):
        return measured([BENCH, "decode", "strokes", self.strokes(1), 5])

    @functools.cached_property
    def hop(self):
        return measured([BENCH, "hop", 1_000_000, 64])


CSV = "stdout: { format: csv }"


def path_cases(count):
    """Yields every step twice: its processor time, relative to the whole job in C++, and its allocations."""
    path = Path(count)
    last = len(path.stages)

    def step(name, what, time):
        return Count(f"path-{name}", what, "ns/stroke", lambda: (time(), path.yardstick), None)

    yield step("read", "reading a stroke's bytes, share of the whole job in C++", lambda: path.time(0) - path.decode - path.hop)
    yield step("decode", "decoding the stroke", lambda: path.decode)
    yield step("hop", "the hop from one task to the next", lambda: path.hop)
    for place, (name, _) in enumerate(path.stages):
        yield step(name, f"the stage {name}", lambda place=place: path.time(place + 1) - path.time(place))
    yield step("encode", "writing the result as text", lambda: path.time(last, CSV) - path.time(last))
    yield step(
        "write", "writing the text to a file",
        lambda: path.time(last, CSV, str(OUT / "ours.csv")) - path.time(last, CSV))
    yield Count("path-allocations-read", "allocations: read, decode, hop", "", lambda: (path.allocations(0), None), None)
    for place, (name, _) in enumerate(path.stages):
        yield Count(
            f"path-allocations-{name}", f"allocations: the stage {name}", "",
            lambda place=place: (path.allocations(place + 1) - path.allocations(place), None), None)
    yield Count(
        "path-allocations-encode", "allocations: encode, write", "",
        lambda: (path.allocations(last, CSV) - path.allocations(last), None), None)
