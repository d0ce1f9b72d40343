"""Runs the whole job, from strokes in JSON Lines to labels, with `pipectl` and with the yardstick."""

import json
import os
import platform
import resource
import subprocess
import time
from pathlib import Path

from harness import OUT, PIPECTL, Skip, generated


def reshaped(strokes):
    """Returns a file with the same strokes as messages of another shape: points as [[x, y, t], …], and other keys."""
    path = strokes.with_name(f"reshaped-{strokes.name}")
    if not path.exists():
        with open(strokes) as file, open(path.with_suffix(".tmp"), "w") as out:
            for line in file:
                stroke = json.loads(line)
                numbers, width = stroke["pts"], len(stroke["fields"])
                points = [numbers[i : i + width] for i in range(0, len(numbers), width)]
                message = {"id": stroke["label"], "ts": stroke["start_us"], "points": points}
                out.write(json.dumps(message, separators=(",", ":")) + "\n")
        path.with_suffix(".tmp").rename(path)
    return path


def library():
    """Returns the file of the gesture library, with the templates that the yardstick reads as JSON Lines."""
    templates = generated("templates", 16)
    path = OUT / "library.json"
    if not path.exists():
        gestures = []
        for line in templates.read_text().splitlines():
            stroke = json.loads(line)
            sample = {key: stroke[key] for key in ("start_us", "fields", "pts")}
            gestures.append({"name": stroke["label"], "kind": "stroke", "samples": [sample]})
        path.write_text(json.dumps({"version": 1, "gestures": gestures}))
    return path


def steps(method="protractor"):
    """Returns the stages of the job, in order: the name and the configuration of each."""
    match = f"match: {{ method: {method}, library: {library().name}, max_results: 1 }}"
    if method == "cloud":
        return [("match", match)]
    return [("resample", "resample: { points: 64 }"), ("normalize", "normalize"), ("vectorize", "vectorize"), ("match", match)]


def written(name, stages, sink="stdout: { format: csv }", decode="", head=""):
    """Writes a configuration that sends strokes through stages to a sink, and returns its path."""
    path = OUT / f"{name}.yaml"
    listed = "stages:\n" + "".join(f"  - {stage}\n" for stage in stages) if stages else ""
    path.write_text(
        f"version: 1\nname: recognize\n{head}sources:\n  - file: {{ path: \"${{STROKES}}\", kind: stroke{decode} }}\n"
        f"{listed}sinks:\n  - {sink}\n")
    return path


def configuration(decode="", method="protractor", head=""):
    """Writes the configuration of the whole job, and returns its path."""
    stages = [lines for _, lines in steps(method)]
    return written(f"recognize-{method}{'-decode' if 'decode' in decode else ''}{'-streams' if head else ''}", stages, decode=decode, head=head)


def timed(command, output, environment=None, processor_time=False):
    """Runs a process and returns its wall-clock time, or its processor time, in nanoseconds."""
    with open(output, "wb") as file:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.perf_counter_ns()
        process = subprocess.Popen(
            [str(part) for part in command], stdout=file, stderr=subprocess.PIPE,
            env={**os.environ, **(environment or {})})
        _, errors = process.communicate()
        took = time.perf_counter_ns() - began
        if processor_time:
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            took = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e9
    if process.returncode != 0:
        raise Skip(errors.decode(errors="replace").strip().splitlines()[-1][:120] if errors.strip() else "failed")
    return took


def labels(path):
    """Returns the labels in the CSV output of `pipectl`."""
    lines = Path(path).read_text().splitlines()
    header = lines[0].split(",")
    column = next(header.index(name) for name in ("name", "category") if name in header)
    return [line.split(",")[column] for line in lines[1:]]


def run_pipectl(
    strokes, output, preload=None, launcher=(), decode="", processor_time=False, method="protractor"):
    return run_configuration(
        configuration(decode, method), strokes, output, preload, launcher, processor_time)


def run_configuration(path, strokes, output, preload=None, launcher=(), processor_time=False):
    """Runs a configuration that reads ${STROKES} once, and returns its time."""
    environment = {"STROKES": str(strokes)}
    environment.update(preload or {})
    return timed([*launcher, PIPECTL, "run", "-q", path], output, environment, processor_time)


def allocations_of(run):
    """Returns the number of allocations of one run. `run` is called with the environment variables that count them."""
    if platform.system() != "Linux":
        raise Skip("allocations are counted on Linux only")
    path = OUT / "allocations.txt"
    path.unlink(missing_ok=True)
    run({"LD_PRELOAD": str(OUT / "allocations.so"), "ALLOCATIONS_FILE": str(path)})
    if not path.exists():
        raise Skip("the counting library was not loaded")
    return int(path.read_text().split()[0])


# The decode option for the messages that `reshaped` writes.
RESHAPED = ", decode: { points: points, fields: xyt, t: ts, t_unit: us, label: id }"
