"""Compares the speed of a job on two executors with that of two `pipectl run` processes.

python -m pipeline_spark.bench CONFIG RECORDING
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from .cluster import HOST, Cluster
from .configuration import Configuration
from .job import Job


def main(words: Sequence[str] | None = None) -> int:
    """Measures both, and prints the results as JSON. The exit code is 1 if the ratio of speeds is below --at-least."""
    parser = argparse.ArgumentParser(prog="python -m pipeline_spark.bench")
    parser.add_argument("config", metavar="CONFIG", help="a pipeline whose only source is file")
    parser.add_argument("recording", metavar="RECORDING", help="JSON Lines, copied many times")
    parser.add_argument("--recordings", type=int, default=1000, help="number of recordings; default: 1000")
    parser.add_argument("--repeat", type=int, default=20, help="number of copies of RECORDING in each recording; default: 20")
    parser.add_argument("--rounds", type=int, default=3, help="number of pairs of measurements; default: 3")
    parser.add_argument("--format", choices=["parquet", "jsonl"], default="parquet")
    parser.add_argument("--at-least", type=float, default=0.0, help="the smallest ratio that counts as success")
    flags = parser.parse_args(words)
    os.environ["SPARK_LOCAL_IP"] = HOST
    os.environ["PYSPARK_PYTHON"] = sys.executable
    work = Path(tempfile.mkdtemp(prefix="pipeline-spark-bench-"))
    try:
        config = Configuration.load(flags.config)
        halves = _recordings(Path(flags.recording), work, flags.recordings, flags.repeat)
        bytes_in = sum(path.stat().st_size for half in halves for path in half.iterdir())
        runs, jobs, rows = [], [], 0
        with Cluster(2) as cluster:
            spark = cluster.session()
            spark.sparkContext.setLogLevel("ERROR")
            # This first job starts the executors, their Python processes and the workers, so that their start is not measured.
            Job(spark, config, str(work / "warm"), str(work / "out-warm"), flags.format).run()
            for number in range(flags.rounds):
                # Measure both in turn, so that other load on the machine affects both. A run of an empty recording is subtracted,
                # so that the start of `pipectl run` is not measured either.
                runs.append(_runs(config, flags.config, work, halves) - _runs(config, flags.config, work, [work / "empty"] * 2))
                job = Job(spark, config, str(work / "in"), str(work / f"out-{number}"), flags.format)
                begin = time.monotonic()
                job.run_rounds()
                jobs.append(time.monotonic() - begin)
                summary = job.run()
                rows = summary.rows
                if summary.violations or summary.bad:
                    print(f"the job had errors: {summary.violations or summary.bad}", file=sys.stderr)
                    return 1
            spark.stop()
        # Take the ratio of each pair, because other load on the machine changes from minute to minute.
        ratio = statistics.median(run / job for run, job in zip(runs, jobs))
        result = {
            "recordings": flags.recordings,
            "megabytes": round(bytes_in / 1e6, 1),
            "results": rows,
            "run_seconds": [round(value, 2) for value in runs],
            "spark_seconds": [round(value, 2) for value in jobs],
            "run_megabytes_per_second": round(bytes_in / 1e6 / statistics.median(runs), 1),
            "spark_megabytes_per_second": round(bytes_in / 1e6 / statistics.median(jobs), 1),
            "ratio": round(ratio, 2),
        }
        print(json.dumps(result))
        return 0 if ratio >= flags.at_least else 1
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _recordings(recording: Path, work: Path, count: int, repeat: int) -> list[Path]:
    """Writes recordings into the two folders that are returned, others to warm up, and an empty one.

    Every stream belongs to one recording.
    """
    lines = [json.loads(line) for line in recording.read_text().splitlines() if line]
    span = max(line["t_us"] for line in lines) + 1_000_000
    halves = [work / "in" / name for name in ("left", "right")]
    for folder in [*halves, work / "warm", work / "empty"]:
        folder.mkdir(parents=True)
    for number in range(count):
        with open(halves[number % 2] / f"{number:06}.jsonl", "w", encoding="utf-8") as file:
            for turn in range(repeat):
                for line in lines:
                    moved = {**line, "stream": f"{number}/{line['stream']}", "t_us": line["t_us"] + turn * span}
                    moved["seq"] = line.get("seq", 0) + turn * len(lines)
                    if "start_us" in line:
                        moved["start_us"] = line["start_us"] + turn * span
                    file.write(json.dumps(moved, separators=(",", ":")) + "\n")
    for number in range(64):
        shutil.copy(halves[0] / "000000.jsonl", work / "warm" / f"{number}.jsonl")
    (work / "empty" / "empty.jsonl").touch()
    return halves


def _runs(config: Configuration, path: str, work: Path, folders: Sequence[Path]) -> float:
    """Runs one process per folder, all at the same time, and returns the seconds until all have ended."""
    (sink, _) = config.sinks[0]
    source = config.source or "file"
    begin = time.monotonic()
    processes = []
    for number, folder in enumerate(folders):
        words = ["run", "-q", path, "--workers=1", f"--set={source}.path={folder}", f"--set={sink}.format=jsonl"]
        words += [f"--set={setting}" for setting in config.settings]
        with open(work / f"results-{number}", "wb") as results:
            processes.append(subprocess.Popen([config.pipectl, *words], stdout=results))
    for process in processes:
        if process.wait():
            raise RuntimeError("pipectl run has failed")
    return time.monotonic() - begin


if __name__ == "__main__":
    sys.exit(main())
