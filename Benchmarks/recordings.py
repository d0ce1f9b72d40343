"""Measures how fast recordings are written and read, and how punctually they are replayed."""

import filecmp
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import BENCH, OUT, PIPECTL, ROOT, Case, Count, generated, measured


def in_memory(size):
    """Returns a folder in memory with more than `size` free bytes, or `None` for the default folder of temporary files."""
    memory = Path("/dev/shm")
    return memory if memory.is_dir() and shutil.disk_usage(memory).free > size else None


def sides(scratch, count, how):
    """Returns the pairs of our side and a yardstick in C++ or Python, for writing and for reading small messages.

    All sides write the same messages into the same chunks with the same checksums. The file that C++ writes is identical to ours.
    All sides read the file that our side has written. C++ reads in file order, like our streaming reader, and verifies the
    checksums of the chunks and of the data. Python reads by log time, like our indexed reader, but verifies no checksums by
    default.
    """
    messages = generated("points", count)
    ours_out, their_out, python_out = (scratch / f"{side}-{how}.mcap" for side in ("ours", "theirs", "python"))
    checked = set()

    def ours_written():
        return measured([BENCH, "mcap-write", messages, ours_out, how], "mcap")

    def written_by(command, path, is_same):
        def write():
            took = measured([*command, "write", messages, path, how], "mcap")
            if path not in checked:
                # Check that the file of the other side contains the same messages.
                measured([OUT / "mcap", "read", path], "mcap")
                if not ours_out.exists():
                    ours_written()
                if is_same and not filecmp.cmp(ours_out, path, shallow=False):
                    raise SystemExit(f"mcap-write-{how}: the two sides write different files")
                checked.add(path)
            return took

        return write

    def read_by(*command):
        def read():
            if not ours_out.exists():
                ours_written()
            return measured(command, "mcap")

        return read

    python = [sys.executable, ROOT / "Benchmarks/record.py"]
    return {
        "write": (ours_written, written_by([OUT / "mcap"], their_out, True)),
        "write-python": (ours_written, written_by(python, python_out, False)),
        "read": (read_by(BENCH, "mcap-read", ours_out, "streaming"), read_by(OUT / "mcap", "read", ours_out)),
        "read-python": (read_by(BENCH, "mcap-read", ours_out, "indexed"), read_by(*python, "read", ours_out)),
    }


def punctuality(count, plain):
    """Returns the 99th percentile of the deviation of frames from their due times at a subscriber, in milliseconds.

    The sender is `pipectl replay`, or a plain program if `plain`.
    """
    endpoint, lines, recording = f"ipc://{OUT}/replay.ipc", generated("points", count), OUT / "replay.mcap"
    measured([BENCH, "mcap-write", lines, recording, "zstd"])
    command = [OUT / "punctual", "send", endpoint, lines] if plain else [
        PIPECTL, "replay", recording, "--kind=points", "--rate=1", "--to", endpoint, "--wait-for-subscribers=1"]
    sender = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return measured([OUT / "punctual", "receive", endpoint, count]) / 1e6
    finally:
        sender.kill()
        sender.wait()


def recording_cases(scale):
    def typical_punctuality(plain):
        # The median of three is robust against another program that briefly takes the processor.
        return statistics.median(punctuality(1_000 // scale, plain) for _ in range(3)), None

    with tempfile.TemporaryDirectory(dir=in_memory(2 << 30)) as scratch:
        for how in ("none", "zstd"):
            pairs = sides(Path(scratch), 1_000_000 // scale, how)
            for name, what, aim in (
                ("write", "written, against plain C++", 0.5), ("read", "read, against plain C++", 0.5),
                ("write-python", "written, against Python's mcap", 8),
                ("read-python", "read by log time, against Python's mcap", 40)):
                yield Case(
                    f"mcap-{name}-{how}", f"small MCAP messages, {how}, {what}", "ns/message", *pairs[name], aim,
                    is_speed=True)
    yield Count(
        "replay", "replay at rate 1, 200 frames/s: deviation from due times, p99", "ms",
        lambda: typical_punctuality(False), 2)
    yield Count(
        "replay-plain", "the same, sent by a plain program", "ms", lambda: typical_punctuality(True), None)
