"""Tests of jobs over a file system on the network. They use WebHDFS, because its client is part of Spark."""

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from pipeline_spark import Configuration, Ledger
from pipeline_spark.__main__ import main
from pipeline_spark.job import Job, Summary

from .conftest import make_recordings
from .webhdfs import HOST, WebHDFS


@pytest.fixture
def server(tmp_path: Path) -> Iterator[WebHDFS]:
    """A server whose folder has another name than its addresses, so that no address is the path of a file on the disk."""
    (tmp_path / "behind").mkdir()
    with WebHDFS(tmp_path / "behind") as server:
        yield server


def rows(spark: SparkSession, out: str, folder: str) -> list[dict[str, Any]]:
    """Returns all rows of both tables in their documented order, with paths below the folder, and reports without times."""
    found = []
    for row in spark.read.parquet(out).orderBy("path", "position").collect():
        report = row["report"] and Ledger.sum([row["report"]]).report()
        path, location = below(row["path"], folder), below(row["location"], folder)
        found.append({**row.asDict(), "path": path, "location": location, "report": report})
    return found


def below(path: str | None, folder: str) -> str | None:
    return path and path.removeprefix("file:").removeprefix(folder)


def outcome(summary: Summary, folder: str) -> dict[str, Any]:
    bad = [{**one, "path": below(one["path"], folder), "location": below(one["location"], folder)} for one in summary.bad]
    return {**summary.report(), "processed": 0, "skipped": 0, "bad": bad}


def test_a_job_over_the_network_equals_one_over_a_folder(
    spark: SparkSession, tmp_path: Path, server: WebHDFS, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, url, out = str(server.root / "archive"), f"{server.url}/archive", f"{server.url}/results"
    names = [str(path.relative_to(server.root)) for path in make_recordings(server.root / "archive", 9)]
    for name in ("bad {1} [2].jsonl", "100%20 + #?.jsonl"):
        (server.root / "archive" / "day-1" / name).write_text("hello\n")
        names.append(f"archive/day-1/{name}")
    (server.root / "archive" / "day-2" / "notes.txt").write_text("not a recording\n")
    pipeline = Configuration.load(config)
    local = Job(spark, pipeline, folder, str(tmp_path / "local"), glob="*.jsonl", round=6).run()
    assert (local.processed, len(local.bad), local.violations) == (11, 2, [])
    assert not server.reads and not Path("/archive").exists()

    process = Job._process

    def interrupted(self: Job, paths: list[str], number: int) -> None:
        process(self, paths, number)
        if number == 1:
            # Leave the round as if the process had been killed when it had written a part of the round.
            (server.root / "results" / "round=00001" / "_SUCCESS").unlink()
            next(iter((server.root / "results" / "round=00001" / "table=results").glob("part-*"))).unlink()
            raise KeyboardInterrupt

    monkeypatch.setattr(Job, "_process", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Job(spark, pipeline, url, out, glob="*.jsonl", round=6).run()
    assert {name: server.reads[f"/{name}"] for name in names} == dict.fromkeys(names, 1), "each is read once"
    monkeypatch.setattr(Job, "_process", process)
    resumed = Job(spark, pipeline, url, out, glob="*.jsonl", round=6).run()
    assert (resumed.processed, resumed.skipped) == (5, 6)
    reads = {name: server.reads[f"/{name}"] for name in names}
    assert sorted(reads.values()) == [1] * 6 + [2] * 5
    nothing = Job(spark, pipeline, url, out, glob="*.jsonl", round=6).run()
    assert (nothing.processed, nothing.skipped) == (0, 11)
    assert {name: server.reads[f"/{name}"] for name in names} == reads
    assert "/archive/day-2/notes.txt" not in server.reads

    assert outcome(resumed, url) == outcome(nothing, url) == outcome(local, folder)
    expected = rows(spark, str(tmp_path / "local"), folder)
    assert len(expected) == local.rows + 11
    assert rows(spark, out, url) == expected


def test_a_path_without_a_scheme_is_in_the_default_file_system(spark: SparkSession, server: WebHDFS, config: str) -> None:
    make_recordings(server.root / "archive", 2)
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    before = hadoop.get("fs.defaultFS")
    hadoop.set("fs.defaultFS", server.url)
    try:
        summary = Job(spark, Configuration.load(config), "/archive", "/results", format="jsonl").run()
    finally:
        hadoop.set("fs.defaultFS", before)
    assert (summary.recordings, summary.bad, summary.violations) == (2, [], [])
    assert (server.root / "results" / "round=00000" / "_SUCCESS").exists()


def test_the_command_says_in_plain_words_what_is_wrong_with_a_file_system(
    spark: SparkSession, server: WebHDFS, config: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The command would stop the session of the other tests.
    monkeypatch.setattr(SparkSession, "stop", lambda session: None)
    paths = make_recordings(server.root / "archive", 2)
    (server.root / "secret").mkdir()
    (server.root / "secret").chmod(0)
    archive, out = f"{server.url}/archive", f"{server.url}/results"
    with socket.socket() as free:
        # Nothing listens at this port.
        free.bind((HOST, 0))
        down = f"webhdfs://{HOST}:{free.getsockname()[1]}"
        for folder, to, code, words in [
            (f"{server.url}/missing", out, 2, [f"{server.url}/missing cannot be listed", "does not exist"]),
            (f"{server.url}/secret", out, 3, [f"{server.url}/secret: Permission denied"]),
            (archive, f"{server.url}/secret/results", 3, [f"{server.url}/secret/results: Permission denied"]),
            (f"{down}/archive", out, 3, [f"{down}/archive: ", "Connection refused"]),
            (archive, f"{down}/results", 3, [f"{down}/results: ", "Connection refused"]),
            ("webhdfs:/archive", out, 3, ["webhdfs:/archive: the address has no host"]),
            ("s3a://archive/2026", out, 3, ["s3a://archive/2026: s3a: needs the package org.apache.hadoop:hadoop-aws:"]),
        ]:
            assert main([config, folder, "--out", to]) == code
            check(capsys, words)
    assert not (server.root / "results").exists()
    # A recording that cannot be read ends the job, because it could be the network. Later, the job can go on.
    paths[0].chmod(0)
    assert main([config, archive, "--out", out]) == 3
    check(capsys, [f"Permission denied: /archive/{paths[0].relative_to(server.root / 'archive')}"])
    paths[0].chmod(0o644)
    assert main([config, archive, "--out", out]) == 0


def check(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    """Asserts that there is one error, in one line, with these words and without classes of Java."""
    errors = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1 and all(word in errors[0] for word in words), errors
    assert "Exception" not in errors[0], errors
