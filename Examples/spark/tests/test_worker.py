"""Tests of the protocol of `pipectl worker`."""

import os
import signal
from pathlib import Path

import pytest

from pipeline_spark import Configuration, ConfigurationError
from pipeline_spark.worker import Recording, Refused, Worker, local_path

from .conftest import ROOT, make_recordings, run


def test_results_are_those_of_a_run(tmp_path: Path, pipectl: str, config: str) -> None:
    worker = Worker(config, pipectl=pipectl)
    paths = make_recordings(tmp_path, 12)
    by_path = list(worker.process([Recording(f"file:{path}") for path in paths]))
    by_bytes = list(worker.process([Recording(str(path), memoryview(path.read_bytes())) for path in paths]))
    worker.stop()
    for path, one, other in zip(paths, by_path, by_bytes):
        expected = run(pipectl, config, path).encode()
        assert [rows.text for rows in one.rows] == [expected]
        assert [rows.text for rows in other.rows] == [expected]
        assert sum(rows.count for rows in one.rows) == expected.count(b"\n")


def test_a_bad_recording_is_an_outcome_among_others(tmp_path: Path, pipectl: str, config: str) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{\n")
    good = ROOT / "Samples" / "session.jsonl"
    worker = Worker(config, pipectl=pipectl)
    outcomes = list(worker.process([Recording(str(path)) for path in (bad, good, tmp_path / "none.jsonl")]))
    assert outcomes[0].location == f"{bad}, line 1, byte 1"
    # If the bytes of a recording are sent, the worker knows only its name.
    (sent,) = worker.process([Recording(f"file:{bad}", bad.read_bytes())])
    worker.stop()
    assert [outcome.code for outcome in outcomes] == ["decode.truncated", None, "file.not_found"]
    assert (sent.code, sent.location) == ("decode.truncated", outcomes[0].location)


def test_a_worker_that_dies_is_started_again_and_no_recording_is_lost(tmp_path: Path, pipectl: str, config: str) -> None:
    paths = make_recordings(tmp_path, 30)
    worker = Worker(config, pipectl=pipectl)
    whole = list(worker.process([Recording(str(path)) for path in paths]))
    outcomes = []
    for outcome in worker.process([Recording(str(path)) for path in paths]):
        outcomes.append(outcome)
        if len(outcomes) == 10:
            assert worker._process is not None
            os.kill(worker._process.pid, signal.SIGKILL)
    worker.stop()
    assert [outcome.rows for outcome in outcomes] == [outcome.rows for outcome in whole]


def test_a_recording_that_kills_the_worker_is_a_bad_one(tmp_path: Path, config: str) -> None:
    # This program dies when it receives a recording with this name.
    program = tmp_path / "pipectl"
    program.write_text(
        "#!/usr/bin/env python3\n"
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    job = json.loads(line)\n"
        "    if 'deadly' in job.get('path', ''): sys.exit(1)\n"
        "    print(json.dumps({'recording': job.get('path'), 'results': [], 'report': None}), flush=True)\n"
    )
    program.chmod(0o755)
    worker = Worker(config, pipectl=str(program))
    outcomes = list(worker.process([Recording(name) for name in ("a", "deadly", "b", "deadly", "c")]))
    worker.stop()
    assert [(outcome.path, outcome.code) for outcome in outcomes] == [
        ("a", None), ("deadly", "worker.died"), ("b", None), ("deadly", "worker.died"), ("c", None),
    ]


def test_a_reader_that_stops_early_gets_no_stale_answers_later(tmp_path: Path, pipectl: str, config: str) -> None:
    paths = make_recordings(tmp_path, 10)
    worker = Worker(config, pipectl=pipectl)
    whole = list(worker.process([Recording(str(path)) for path in paths]))
    early = worker.process([Recording(str(path)) for path in paths])
    next(early)
    early.close()
    again = list(worker.process([Recording(str(path)) for path in paths]))
    worker.stop()
    assert [outcome.rows for outcome in again] == [outcome.rows for outcome in whole]


def test_a_wrong_configuration_is_refused_with_all_findings(tmp_path: Path, pipectl: str) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("version: 1\nsources: [file: { path: a }]\nstages: [resmaple]\nsinks: [stdotu]\n")
    with pytest.raises(Refused):
        Worker(str(wrong), pipectl=pipectl).start()
    with pytest.raises(ConfigurationError) as raised:
        Configuration.load(str(wrong))
    assert str(raised.value).count("[graph.unknown_component]") == 2
    with pytest.raises(ConfigurationError, match="cannot be run"):
        Configuration.load(str(wrong), pipectl=str(tmp_path / "none"))


def test_a_configuration_knows_its_files_and_has_a_digest(config: str) -> None:
    one = Configuration.load(config)
    assert [name for _, name in one.files] == ["Configs/strokes.yaml", "Samples/shapes.json"]
    assert one.sinks == (("stdout", "recognition"),)
    assert one.digest == Configuration.load(config).digest
    assert one.digest != Configuration.load(config, settings=["match.max_results=2"]).digest


def test_paths_of_spark_are_paths_of_the_machine() -> None:
    assert [local_path(path) for path in ("file:/a/b c", "file:///a", "/a", "a")] == ["/a/b c", "/a", "/a", "a"]
