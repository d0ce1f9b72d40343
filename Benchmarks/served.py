#!/usr/bin/env python3
"""Measures what viewers of a served pipeline cost: throughput, processor time and memory.

served.py [--seconds S] [--rounds N] [--memory S]

A live pipeline of 20,000 frames per second runs in four cases: not served, served without viewers, with one viewer, and with ten
viewers, three of which never read. The same pipeline then runs unpaced, as fast as it can. Each figure is a median of rounds, in
which the cases take turns. At the end, the memory of a run with ten viewers is followed until all bounded buffers are full. The
exit status is 1 if a bound is missed. At 20,000 frames per second, serving may cost at most 3 % of the throughput without viewers,
and at most 10 % with viewers. Unpaced, where a frame takes about 1.4 microseconds of processor time, serving may add 0.2
microseconds without viewers and 1 microsecond with viewers: every input is then kept, so that results can be explained. The memory
must not grow.
"""

import argparse
import json
import re
import resource
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

PIPECTL = Path(__file__).resolve().parent.parent / ".build/release/pipectl"

CASES = [("not served", None), ("no viewer", 0), ("one viewer", 1), ("ten viewers, three never read", 10)]


def configuration(folder, paced, count=0):
    path = Path(folder) / f"{'paced' if paced else 'free'}.yaml"
    # 312.5 gestures of 64 samples per second. Single points are the cheapest frames, so the cost of viewers is visible.
    source = {"id": "pen", "kind": "points", "count": count, "rate_hz": 312.5, "points": 64, "seed": 7}
    path.write_text(json.dumps({
        "version": 1, "mode": "live" if paced else "batch", "sources": [{"synthetic": source | ({"rate": 1} if paced else {})}],
        "stages": [{"filter": {"stream": ["*"]}}, {"filter": {"id": "second", "kind": ["points"]}}], "sinks": [{"discard": {"id": "out"}}]}))
    return path


class Viewers:
    """Connections that watch every node at the highest rate and discard what they read. Three of ten never read."""

    def __init__(self, address, count):
        self.sockets = [self.open(address) for _ in range(count)]
        self.lazy = self.sockets[:3] if count >= 10 else []
        self.bytes, self.is_over = 0, False
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    @staticmethod
    def open(address):
        host, port = address.split(":")
        one = socket.create_connection((host, int(port)))
        one.sendall(
            f"GET /api/live HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        wish = json.dumps({"op": "watch", "nodes": ["pen", "filter", "second"], "rate": 60}).encode()
        one.sendall(bytes([0x81, 0x80 | len(wish), 0, 0, 0, 0]) + wish)
        return one

    def read(self):
        reading = [one for one in self.sockets if one not in self.lazy]
        while not self.is_over and reading:
            for one in select.select(reading, [], [], 0.2)[0]:
                try:
                    data = one.recv(1 << 18)
                except OSError:
                    data = b""
                self.bytes += len(data)
                if not data:
                    reading.remove(one)

    def close(self):
        self.is_over = True
        self.thread.join()
        for one in self.sockets:
            one.close()


def memory(process):
    """Returns the resident memory of a process in MB."""
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text()).group(1)) / 1024


def run(path, viewers, seconds=None, watch=None):
    """Runs once. Returns frames per second at the sink, the number of drops, and seconds of processor time per million frames."""
    with tempfile.NamedTemporaryFile("r") as report, tempfile.NamedTemporaryFile("r") as messages:
        flags = ["--serve=127.0.0.1:0"] if viewers is not None else []
        flags += [f"--duration={seconds}"] if seconds else []
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process = subprocess.Popen(
            [PIPECTL, "run", path, f"--report={report.name}", *flags], stdout=subprocess.DEVNULL, stderr=open(messages.name, "w"))
        looking = None
        if viewers:
            while not (found := re.search(r"http://(\S+)/", Path(messages.name).read_text())):
                time.sleep(0.005)
            looking = Viewers(found.group(1), viewers)
        if watch:
            watch(process)
        code = process.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if looking:
            looking.close()
        assert code == 0, Path(messages.name).read_text()
        told = json.loads(Path(report.name).read_text())
        ledger = told
        nodes = {node["id"]: node for node in ledger["nodes"]}
        dropped = sum(sum(part["dropped"].values()) for part in ledger["nodes"] + ledger["edges"])
        frames = nodes["out"]["in"]
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return frames / ledger["seconds"], dropped, spent / frames * 1e6


def compare(name, path, rounds, seconds):
    """Runs all cases in turn, prints a table of their medians, and returns these: frames per second and processor time."""
    figures = {case: [] for case, _ in CASES}
    for turn in range(rounds):
        for case, viewers in CASES if turn % 2 == 0 else CASES[::-1]:
            figures[case].append(run(path, viewers, seconds))
    print(f"\n{name}\n\n| | frames/s | against not served | dropped | processor, s per million frames |\n| --- | --- | --- | --- | --- |")
    medians = {case: [statistics.median(one[part] for one in figures[case]) for part in range(3)] for case, _ in CASES}
    alone = medians["not served"][0]
    for case, (speed, dropped, spent) in medians.items():
        print(f"| {case} | {speed:,.0f} | {speed / alone - 1:+.1%} | {dropped:,.0f} | {spent:.2f} |", flush=True)
    return {case: (speed, spent) for case, (speed, _, spent) in medians.items()}


def slower(figures):
    """Returns the cases in which a paced run is too slow: served, it must reach 97 % of the speed, and with viewers 90 %."""
    alone = figures["not served"][0]
    return [
        f"paced, {case}: {figures[case][0] / alone - 1:+.1%}"
        for case, viewers in CASES if viewers is not None and figures[case][0] < alone * (0.97 if viewers == 0 else 0.90)]


def dearer(figures):
    """Returns the cases in which serving costs too much processor time per frame."""
    alone = figures["not served"][1]
    return [
        f"unpaced, {case}: {figures[case][1] - alone:+.2f} µs per frame"
        for case, viewers in CASES if viewers is not None and figures[case][1] - alone > (0.2 if viewers == 0 else 1)]


def follow(path, seconds):
    """Follows the memory of a run with ten viewers. It must not grow after the middle of the run, when all buffers are full."""
    seen = []

    def watch(process):
        until = time.monotonic() + seconds - 2
        while time.monotonic() < until:
            time.sleep(1)
            seen.append(memory(process.pid))

    run(path, 10, seconds, watch)
    middle = max(seen[len(seen) // 2 - 5: len(seen) // 2 + 5])
    end = max(seen[-10:])
    print(f"\nmemory with ten viewers: {seen[4]:.0f} MB after 5 s, {middle:.0f} MB after {len(seen) // 2} s, {end:.0f} MB after {len(seen)} s")
    return [f"the memory grows from {middle:.0f} to {end:.0f} MB"] if end > middle * 1.05 + 4 else []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory", type=int, default=150)
    parser.add_argument("--free", type=int, default=100_000, help="number of gestures in the unpaced run")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wrong = []
        if given.rounds:
            wrong += slower(compare("20,000 frames per second", configuration(folder, True), given.rounds, given.seconds))
            wrong += dearer(compare("as fast as it can", configuration(folder, False, given.free), given.rounds, None))
        if given.memory:
            wrong += follow(configuration(folder, True), given.memory)
    if wrong:
        sys.exit("missed: " + "; ".join(wrong))


if __name__ == "__main__":
    main()
