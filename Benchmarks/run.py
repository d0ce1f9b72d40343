"""Runs every benchmark alternately with its yardstick and prints the ratios. run.sh builds both sides and calls this program."""

import argparse
import json
import os
import platform
import statistics
import sys
from pathlib import Path

from growth import growth_cases
from harness import BENCH, OUT, ROOT, Case, Count, Skip, generated, measured
from kafka import kafka_cases
from network import paced, receiving, relaying
from path import path_cases
from picture import draw
from recordings import recording_cases
from whole import RESHAPED, allocations_of, labels, reshaped, run_pipectl, timed


def whole_process(count, decode="", processor_time=False, method="protractor"):
    """Returns both sides of a benchmark of the whole job, in wall-clock or processor time.

    The yardstick always reads canonical messages. The first measurement checks that both sides give the same labels.
    """
    strokes, templates = generated("strokes", count), generated("templates", 16)
    ours_out, their_out = OUT / "ours.csv", OUT / "theirs.txt"
    read = reshaped(strokes) if decode else strokes
    program = OUT / ("recognize_cloud" if method == "cloud" else "recognize")

    def ours():
        return run_pipectl(
            read, ours_out, decode=decode, processor_time=processor_time, method=method) / count

    def yardstick():
        return timed([program, templates, strokes], their_out, processor_time=processor_time) / count

    checked = []

    def ours_checked():
        if not checked:
            ours()
            yardstick()
            found, expected = labels(ours_out), Path(their_out).read_text().splitlines()
            if found != expected:
                different = sum(a != b for a, b in zip(found, expected)) + abs(len(found) - len(expected))
                raise SystemExit(f"whole-process: {different} of {len(expected)} labels differ")
            checked.append(True)
        return ours()

    return ours_checked, yardstick


def start_up(rounds):
    """Returns the median time of `pipectl run` from its start to its exit, with one stroke to recognize."""
    one = OUT / "one-stroke.jsonl"
    with open(generated("strokes", 100)) as file:
        one.write_text(file.readline())
    return statistics.median(run_pipectl(one, OUT / "ours.csv") for _ in range(rounds)), None


def memory(small, large):
    def peak(count):
        path = OUT / "peak.txt"
        run_pipectl(generated("strokes", count), OUT / "ours.csv", launcher=(OUT / "peak", path))
        return int(path.read_text())

    few = peak(small)
    return peak(large), few


def more_allocations(count, run):
    """Returns the allocations per item, without the allocations at start-up.

    This is the difference between a run with `2 * count` items and one with `count` items, divided by `count`.

    `run` takes the number of items and the environment that counts allocations.
    """
    few, many = (allocations_of(lambda counting: run(items, counting)) for items in (count, 2 * count))
    return (many - few) / count, None


def allocations(count):
    return more_allocations(
        count, lambda strokes, counting: run_pipectl(generated("strokes", strokes), OUT / "ours.csv", counting))


def ink(speed, points, rounds):
    return measured([BENCH, "ink", speed, points, rounds]), None


def ink_allocations(points):
    # One long stroke, through a pipeline with the ink stages and one without.
    return more_allocations(
        points, lambda count, counting: measured([BENCH, "ink", 1000, count, 1], environment=counting))


# The stages of Benchmarks/bench/HandsChain.swift, in order.
HAND_STAGES = ["track", "each-gate", "smooth", "recognize", "debounce"]


def hand_chain(frames, without, stages, count=1):
    return measured([BENCH, "hands", frames, without, stages, count, 5]), None


def hand_allocations(frames):
    return more_allocations(
        frames,
        lambda count, counting: measured([BENCH, "hands", count, 0, len(HAND_STAGES), 1, 1], environment=counting))


def encode_yardstick(path, rounds):
    try:
        import orjson  # noqa: F401
    except ImportError:
        raise Skip("orjson is not installed")
    return measured([sys.executable, ROOT / "Benchmarks/encode.py", path, rounds])


def cases(quick):
    scale = 5 if quick else 1
    strokes = generated("strokes", 100_000 // scale)
    hands = generated("hands", 50_000 // scale)
    frames = 2_000_000 // scale
    seconds = 1 / scale

    def bench(*arguments, check=None):
        return lambda: measured([BENCH, *arguments], check)

    def yardstick(name, *arguments, check=None):
        return lambda: measured([OUT / name, *arguments], check)

    # The frames per round and the rounds. Each side alternates between a long and a short chain, on one core.
    rounds = [100_000, 25 // scale]

    count = 100_000 // scale
    yield Case("whole-process", "100,000 strokes, JSON Lines to labels", "ns/stroke", *whole_process(count), 0.8)
    yield Case(
        "whole-process-cpu", "the same, in processor time", "ns/stroke", *whole_process(count, processor_time=True), 1.5)
    yield Case(
        "whole-process-decode", "the same, from messages of another shape", "ns/stroke",
        *whole_process(count, decode=RESHAPED), 1.2)
    yield Case(
        "whole-cloud", "strokes, JSON Lines to labels, method cloud", "ns/stroke",
        *whole_process(count, method="cloud"), 1.2)
    yield Case(
        "whole-cloud-cpu", "the same, in processor time", "ns/stroke",
        *whole_process(count, method="cloud", processor_time=True), 1.5)
    yield Count("start-up", "pipectl run on one stroke, start to exit", "ns", lambda: start_up(15), 15e6)
    yield Count(
        "memory", "peak memory with ten times as many strokes", "bytes", lambda: memory(count, 10 * count), 1.1)
    yield Count("allocations", "allocations per stroke, whole chain", "", lambda: allocations(count // 10), 6)
    for name, what, ours, theirs, limit in (
        ("chain", "ten emitting stages from YAML, 64 points", ("concrete",), ("emit",), 2),
        ("chain-generic", "the same, with generic stages", ("generic",), ("emit",), 3),
        ("chain-fill", "ten stages that fill reused memory", ("fill",), ("fill",), 2),
        ("chain-streams", "ten emitting stages, 1,000 streams in turn", ("concrete", 1000), ("emit", 1000), 4),
    ):
        yield Case(
            name, what, "ns/frame",
            lambda ours=ours, name=name: measured([BENCH, "chain", *rounds, *ours], name, on_one_core=True),
            lambda theirs=theirs, name=name: measured([OUT / "chain", *rounds, *theirs], name, on_one_core=True), limit)
    yield Case(
        "hop-single", "hop over an edge, one by one, against AsyncStream", "ns/frame", bench("hop", frames, 1),
        bench("stream", frames), 0.25)
    yield Case(
        "hop-burst", "hop over an edge, batches of 64, against AsyncStream", "ns/frame", bench("hop", frames, 64),
        bench("stream", frames), 0.03)
    for what, path in (("strokes", strokes), ("hands", hands)):
        yield Case(
            f"decode-{what}", f"JSON decode of {what} against simdjson", "ns/message",
            bench("decode", what, path, 3, check=f"decode-{what}"),
            yardstick("decode", what, path, 3, check=f"decode-{what}"), 0.7, is_speed=True)
        yield Case(
            f"encode-{what}", f"JSON encode of {what} against orjson", "ns/message", bench("encode", what, path, 5),
            lambda path=path: encode_yardstick(path, 5), 0.5, is_speed=True)
        for form in ("json", "msgpack"):
            for shape in ("flat", "lists", "objects", "columns", "names", "named-objects"):
                check = f"shape-{what}"
                yield Case(
                    f"shape-{what}-{form}-{shape}", f"{what} in {form} as {shape}, against the canonical message",
                    "ns/message", bench("shapes", what, path, form, shape, 10, check=check),
                    bench("shapes", what, path, form, "canonical", 10, check=check), 1.5)
    yield from recording_cases(scale)
    yield from path_cases(count)
    yield from growth_cases(quick)
    for count, queries, aim in ((16, 64_000, 0.7), (100, 12_800, None), (1_000, 1_280, 0.7), (10_000, 128, None), (100_000, 64, 0.7)):
        yield Case(
            f"match-{count}", f"one query against {count:,} templates", "ns/query",
            bench("match", count, queries, 10 // scale, check=f"match-{count}"),
            yardstick("match", count, queries, 10 // scale, check=f"match-{count}"), aim, is_speed=True)
    for count, queries, aim in ((16, 20_000, 12_000), (1_000, 2_000, 100_000), (100_000, 64, 5_000_000)):
        yield Count(
            f"cloud-{count}", f"one stroke against {count:,} templates, cloud", "ns/query",
            lambda count=count, queries=queries: (bench("cloud", count, queries)(), None), aim)
    for count, points in ((10, 100_000), (100, 20_000)):
        yield Count(
            f"spot-{count}", f"one point of a mouse, {count} gestures in the library", "ns/point",
            lambda count=count, points=points: (bench("spot", count, points // scale)(), None), None)
    for score in ("dice", "overlap"):
        name = f"match-bitmap-{score}"
        yield Case(
            name, f"one query against 1,048,576 bitmaps, {score}", "ns/query",
            bench("bitmaps", 1 << 20, score, 2000 // scale, check=name),
            yardstick("bitmaps", 1 << 20, score, seconds, check=name), 0.8, is_speed=True)
    for speed in (300, 1_000, 12_000):
        yield Count(
            f"ink-{speed}", f"ink while the pen moves, {speed:,} units/s at 120 Hz", "ns/point",
            lambda speed=speed: ink(speed, 20_000 // scale, 7), 5_000)
    yield Count(
        "ink-allocations", "allocations per point, stroke to ink", "", lambda: ink_allocations(20_000 // scale),
        0.5)
    images = 100_000 // scale
    yield Count(
        "hands", "one hand of 21 points per frame, to a gesture", "ns/frame",
        lambda: hand_chain(images, 0, len(HAND_STAGES)), 3_000)
    yield Count("hands-two", "two hands per frame", "ns/frame", lambda: hand_chain(images, 0, len(HAND_STAGES), 2), None)
    yield Count("hands-allocations", "allocations per frame with one hand", "", lambda: hand_allocations(images), 4)
    for place, stage in enumerate(HAND_STAGES):
        yield Count(
            f"hands-{stage}", "share of this stage, one hand", "ns/frame",
            lambda place=place: hand_chain(images, place, place + 1), None)
    for transport in ("tcp", "ipc"):
        for size in (512, 2048):
            # A pipeline always parses what it receives. The bare loop shows how much time the transport takes of it.
            for name, what, arguments, aim in (
                ("zmq", "against receiving and parsing", ["stroke"], 0.8), ("zmq-bare", "against receiving only", [], None)):
                yield Case(
                    f"{name}-{transport}-{size}", f"zmq pull of strokes into discard, {size} B, {transport}, {what}",
                    "ns/message",
                    *receiving(
                        transport, f"receive-{size}", "stroke",
                        lambda endpoint, size=size: [OUT / "send", endpoint, 500_000 // scale, size], arguments,
                        500_000 // scale),
                    aim, is_speed=True)
    count = 50_000 // scale
    for form, decode in (("json", ""), ("msgpack", ", decode: { format: msgpack }")):
        yield Case(
            f"zmq-hands-{form}", f"zmq pull of hands in {form} into discard, against receiving and parsing", "ns/message",
            *receiving(
                "tcp", f"hands-{form}", "hands",
                lambda endpoint, form=form: [OUT / "send_lines", endpoint, hands, form, "hand", count], [form], count,
                decode), 0.8, is_speed=True)
    for which, quantile in (("p50", 0.5), ("p99", 0.99)):
        yield Case(
            f"zmq-paced-{which}", f"hands at 500 Hz pulled into a sink, {which}, against receiving and parsing", "ns",
            *paced(quantile, 2_000 // scale), 1.3 if which == "p50" else None)
    yield from kafka_cases(100_000 // scale)
    for which in ("p50", "p99"):
        yield Case(
            f"zmq-relay-{which}", f"hands at 500 Hz through zmq → tap → zmq, {which}, against a bare relay", "ns",
            *relaying(which, 2_000 // scale), None)


def show(number):
    if number is None:
        return ""
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:,.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller inputs")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="run benchmarks whose names begin with NAME")
    parser.add_argument("--pairs", type=int, default=5, help="pairs of measurements per benchmark, at least 5")
    options = parser.parse_args()
    print(f"{'benchmark':<22} {'ours':>12} {'yardstick':>12} {'ratio':>8} {'[min … max]':>18} {'aim':>7}")
    report = []
    for case in cases(options.quick):
        if options.only and not any(case.name.startswith(name) for name in options.only):
            continue
        try:
            row = case.measure(max(5, options.pairs))
        except Skip as reason:
            print(f"{case.name:<22} left out: {reason}", flush=True)
            report.append({"name": case.name, "what": case.what, "left_out": str(reason)})
            continue
        report.append(row)
        spread = f"[{row['lowest']:.2f} … {row['highest']:.2f}]"
        print(
            f"{row['name']:<22} {show(row['ours']):>12} {show(row['yardstick']):>12} {row['ratio']:>8.3f} "
            f"{spread:>18} {row['aim']:>7} {' ' if not row['aim'] else '✓' if row['is_reached'] else '✗'}  {case.what}", flush=True)
    machine = {"system": platform.platform(), "cores": os.cpu_count(), "quick": options.quick}
    (OUT / "report.json").write_text(json.dumps({"machine": machine, "benchmarks": report}, indent=2, ensure_ascii=False))
    draw(report, OUT / "report.svg")
    print(f"\nRatios are medians of at least five pairs measured in turn; ≤ compares times, ≥ speeds. Data: {OUT}/report.json, picture: report.svg")


main()
