"""The common parts of the tests. They need `pipectl`: the path in PIPECTL, or the program in .build or in PATH."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from pipeline_spark.cluster import HOST, EXECUTOR_OPTIONS, local_options

ROOT = Path(__file__).resolve().parents[3]

# Set these before Java starts, because it reads them only then.
os.environ["SPARK_LOCAL_IP"] = HOST
os.environ["PYSPARK_PYTHON"] = sys.executable
# Executors are separate processes. They find the package here if it is not installed.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT / "Examples" / "spark" / "src"), os.environ.get("PYTHONPATH")]))


def _pipectl() -> str | None:
    candidates = [os.environ.get("PIPECTL"), *(str(ROOT / ".build" / kind / "pipectl") for kind in ("release", "debug"))]
    return next((path for path in candidates if path and os.access(path, os.X_OK)), shutil.which("pipectl"))


@pytest.fixture(scope="session", autouse=True)
def pipectl() -> str:
    """The program under test."""
    path = _pipectl()
    if path is None:
        pytest.fail("there is no pipectl: build it with swift build")
    os.environ["PIPECTL"] = path
    return path


@pytest.fixture
def config() -> str:
    """A pipeline that matches strokes."""
    return str(ROOT / "Configs" / "strokes.yaml")


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A session in this process."""
    builder = SparkSession.builder.master("local[2]").appName("tests")
    for key, value in local_options().items():
        builder = builder.config(key, value)
    # The session ends before the optimizing compiler and parallel garbage collectors have paid off.
    builder = builder.config("spark.driver.extraJavaOptions", EXECUTOR_OPTIONS["spark.executor.extraJavaOptions"])
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def make_recordings(folder: Path, count: int) -> list[Path]:
    """Writes recordings of a few strokes each, all of them different, in several folders. Returns their sorted paths."""
    lines = (ROOT / "Samples" / "session.jsonl").read_text().splitlines(keepends=True)
    paths = []
    for number in range(count):
        path = folder / f"day-{number % 7}" / f"pen {number:04}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        begin = number % (len(lines) - 3)
        # Each recording begins at another stroke, and has pens of its own.
        text = "".join(lines[begin : begin + 1 + number % 3 * 3]).replace('"pen/', f'"pen-{number}/')
        path.write_text(text)
        paths.append(path)
    return sorted(paths)


def run(pipectl: str, config: str, recording: Path) -> str:
    """Returns the results of `pipectl run` for one recording, as JSON Lines."""
    words = ["run", "-q", config, f"--set=file.path={recording}", "--set=stdout.format=jsonl"]
    done = subprocess.run([pipectl, *words], capture_output=True, text=True, check=True)
    return done.stdout
