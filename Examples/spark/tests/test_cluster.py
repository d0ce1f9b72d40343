"""A standalone cluster: a master and two workers, as separate processes on loopback.

The environment variable PIPELINE_SPARK_RECORDINGS is the number of recordings, 60 by default.
"""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from pipeline_spark.cluster import HOST, Cluster, local_options

from .conftest import ROOT, make_recordings
from .test_job import expected_rows

COUNT = int(os.environ.get("PIPELINE_SPARK_RECORDINGS", "60"))


def command(cluster: Cluster, out: Path, *words: str) -> "subprocess.Popen[str]":
    """Starts the command on a cluster, as a separate process, as users do."""
    options = {**local_options(), "spark.executor.memory": "512m"}
    submit = " ".join(f"--conf {key}={value}" for key, value in options.items())
    environment = {
        **os.environ, "PYSPARK_SUBMIT_ARGS": f"{submit} pyspark-shell", "SPARK_LOCAL_IP": HOST,
        "PYTHONPATH": str(ROOT / "Examples" / "spark" / "src"),
    }
    return subprocess.Popen(
        [sys.executable, "-m", "pipeline_spark", *words, "--out", str(out), "--master", cluster.master],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
    )


def test_a_worker_that_is_killed_halfway_changes_nothing(tmp_path: Path, pipectl: str, config: str) -> None:
    paths = make_recordings(tmp_path / "in", COUNT)
    bad = tmp_path / "in" / "day-1" / "bad.jsonl"
    bad.write_text("hello\n")
    out = tmp_path / "out"
    size = max(1, COUNT // 8)
    with Cluster(2) as cluster:
        words = (config, str(tmp_path / "in"), "--format", "jsonl", "--round", str(size))
        process = command(cluster, out, *words)
        killed = threading.Event()

        def kill() -> None:
            # Kill the worker after half of the rounds; in the middle of the next round, if it takes long enough.
            for _ in range(3000):
                if len(list(out.glob("round=*/_SUCCESS"))) >= 4:
                    if process.poll() is None:
                        cluster.kill_worker(0)
                        killed.set()
                    return
                time.sleep(0.05)

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        output, messages = process.communicate(timeout=570)
        killer.join(timeout=10)
        assert process.returncode == 0, messages
        assert killed.is_set()
        # Spark noticed the loss, and continued with the other worker.
        assert "Lost executor" in messages
        assert len(list(out.glob("round=*/_SUCCESS"))) >= 8
    summary: dict[str, Any] = json.loads(output)
    expected = expected_rows(pipectl, config, paths)
    files = sorted(out.glob("round=*/table=results/part-*"))
    found = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    assert [(row["path"].removeprefix("file:"), row["result"]) for row in found] == [
        (path, json.loads(text)) for path, text in expected
    ]
    assert (summary["recordings"], summary["rows"]) == (COUNT + 1, len(expected))
    assert [one["path"].rsplit("/", 1)[-1] for one in summary["bad"]] == ["bad.jsonl"]
    assert summary["violations"] == []
    # Compare with the ledger of one run on one machine, which reads all recordings.
    bad.unlink()
    report = tmp_path / "report.json"
    subprocess.run(
        [pipectl, "run", "-q", config, f"--set=file.path={tmp_path / 'in'}", f"--report={report}"],
        check=True, stdout=subprocess.DEVNULL,
    )
    for mine, theirs in zip(summary["ledger"]["nodes"], json.loads(report.read_text())["nodes"], strict=True):
        for key in ("in", "out", "passed", "absorbed", "failed"):
            assert mine[key] == theirs[key], (mine["id"], key)
