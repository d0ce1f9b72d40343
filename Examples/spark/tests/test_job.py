"""Tests of jobs and of the command."""

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from pipeline_spark import Configuration, Ledger
from pipeline_spark.__main__ import main
from pipeline_spark.job import Job, JobError
from pipeline_spark.worker import Recording, Worker

from .conftest import make_recordings, run


def lines(out: Path, table: str) -> list[dict[str, Any]]:
    """Returns the lines of a table that a job has written as JSON Lines, in their documented order."""
    files = sorted(out.glob(f"round=*/table={table}/part-*"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def expected_rows(pipectl: str, config: str, paths: list[Path]) -> list[tuple[str, str]]:
    return [(f"{path}", line) for path in paths for line in run(pipectl, config, path).splitlines()]


def test_tables_are_in_order_and_equal_to_runs(spark: SparkSession, tmp_path: Path, pipectl: str, config: str) -> None:
    paths = make_recordings(tmp_path / "in", 40)
    (tmp_path / "in" / "day-3" / "bad [1].jsonl").write_text("hello\n")
    expected = expected_rows(pipectl, config, paths)
    pipeline = Configuration.load(config)
    table = tmp_path / "table"
    summary = Job(spark, pipeline, str(tmp_path / "in"), str(table), round=15).run()
    assert (summary.recordings, summary.processed, summary.skipped) == (41, 41, 0)
    assert summary.rows == len(expected) and summary.violations == []
    assert [bad["path"].rsplit("/", 1)[-1] for bad in summary.bad] == ["bad [1].jsonl"]
    # The rows are in the order of the files; the test does not sort them.
    files = sorted(table.glob("round=*/table=results/part-*.parquet"))
    found = [
        (row["path"].removeprefix("file:"), row["result"])
        for file in files for row in spark.read.parquet(str(file)).collect()
    ]
    assert found == expected
    # A reader finds both tables by their names.
    whole = spark.read.parquet(str(table))
    assert whole.where("table = 'results'").count() == len(expected)
    assert whole.where("table = 'recordings'").count() == 41

    again = tmp_path / "lines"
    other = Job(spark, pipeline, f"file://{tmp_path}/in", str(again), format="jsonl", round=15).run()
    assert other.report() == summary.report()
    rows = lines(again, "results")
    assert [(row["path"].removeprefix("file:"), row["result"]) for row in rows] == [
        (path, json.loads(text)) for path, text in expected
    ]
    text = "".join(file.read_text() for file in sorted(again.glob("round=*/table=results/part-*")))
    assert all(result in text for _, result in expected), "byte for byte"
    assert len(lines(again, "recordings")) == 41


def test_recordings_that_spark_reads_are_the_same(
    spark: SparkSession, tmp_path: Path, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_recordings(tmp_path / "in", 25)
    (tmp_path / "in" / "a{b} [c] *.jsonl").write_text("hello\n")
    pipeline = Configuration.load(config)
    local = Job(spark, pipeline, str(tmp_path / "in"), str(tmp_path / "local"), format="jsonl", round=10).run()
    # Pretend that the folder is in an object store, whose files workers cannot open.
    monkeypatch.setattr(Job, "_are_local", False)
    remote = Job(spark, pipeline, str(tmp_path / "in"), str(tmp_path / "remote"), format="jsonl", round=10).run()
    assert remote.report() == local.report()
    assert lines(tmp_path / "remote", "results") == lines(tmp_path / "local", "results")


def test_a_job_that_was_interrupted_goes_on(
    spark: SparkSession, tmp_path: Path, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_recordings(tmp_path / "in", 30)
    pipeline = Configuration.load(config)
    whole = Job(spark, pipeline, str(tmp_path / "in"), str(tmp_path / "whole"), format="jsonl", round=8).run()
    out = tmp_path / "out"
    job = Job(spark, pipeline, str(tmp_path / "in"), str(out), format="jsonl", round=8)
    process = Job._process

    def interrupted(self: Job, paths: list[str], number: int) -> None:
        process(self, paths, number)
        if number == 2:
            # Leave the round as if the process had been killed when it had written a part of the round.
            (out / "round=00002" / "_SUCCESS").unlink()
            next(iter((out / "round=00002" / "table=results").glob("part-*"))).unlink()
            raise KeyboardInterrupt

    monkeypatch.setattr(Job, "_process", interrupted)
    with pytest.raises(KeyboardInterrupt):
        job.run()
    monkeypatch.setattr(Job, "_process", process)
    done: list[str] = []
    resumed = Job(spark, pipeline, str(tmp_path / "in"), str(out), format="jsonl", round=8, say=done.append).run()
    assert (resumed.processed, resumed.skipped) == (14, 16)
    assert len(done) == 2
    assert resumed.ledger.report() == whole.ledger.report() and resumed.violations == []
    assert lines(out, "results") == lines(tmp_path / "whole", "results")
    nothing = Job(spark, pipeline, str(tmp_path / "in"), str(out), format="jsonl", round=8).run()
    assert (nothing.processed, nothing.skipped) == (0, 30)


def test_an_output_has_one_pipeline(spark: SparkSession, tmp_path: Path, config: str) -> None:
    make_recordings(tmp_path / "in", 3)
    out = str(tmp_path / "out")
    Job(spark, Configuration.load(config), str(tmp_path / "in"), out).run()
    other = Configuration.load(config, settings=["match.max_results=2"])
    with pytest.raises(JobError, match="another configuration"):
        Job(spark, other, str(tmp_path / "in"), out).run()
    with pytest.raises(JobError, match="as parquet"):
        Job(spark, Configuration.load(config), str(tmp_path / "in"), out, format="jsonl").run()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("something\n")
    with pytest.raises(JobError, match="not empty"):
        Job(spark, other, str(tmp_path / "in"), str(tmp_path / "other")).run()


def test_an_output_in_the_folder_is_refused_because_its_files_would_be_read(
    spark: SparkSession, tmp_path: Path, config: str
) -> None:
    make_recordings(tmp_path / "in", 2)
    pipeline = Configuration.load(config)
    folder = str(tmp_path / "in")
    for out in (folder, f"{folder}/out", f"file://{folder}/day-0/out/", f"{folder}/day-0/../out"):
        with pytest.raises(JobError, match="would read results as recordings"):
            Job(spark, pipeline, folder, out)
    assert Job(spark, pipeline, folder, f"{folder}-results").run().recordings == 2


def test_the_files_that_are_left_out_are_counted(spark: SparkSession, tmp_path: Path, config: str) -> None:
    paths = make_recordings(tmp_path / "in", 3)
    line = paths[0].read_text()
    hidden = ["_one.jsonl", ".one.jsonl", "_more/one.jsonl", "day-0/.more/one.jsonl", "one.jsonl._COPYING_", "empty.jsonl"]
    for name in hidden:
        (tmp_path / "in" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "in" / name).write_text("" if name == "empty.jsonl" else line)
    pipeline = Configuration.load(config)
    for _ in range(2):
        summary = Job(spark, pipeline, str(tmp_path / "in"), str(tmp_path / "out")).run()
        assert (summary.recordings, summary.left_out, summary.violations) == (3, 6, [])
    # With a pattern, files that do not match are left out, too.
    some = Job(spark, pipeline, str(tmp_path / "in"), str(tmp_path / "some"), glob="pen 0000*").run()
    assert (some.recordings, some.left_out) == (1, 8)


def test_a_part_that_is_missing_or_doubled_is_noticed(spark: SparkSession, tmp_path: Path, config: str) -> None:
    make_recordings(tmp_path / "in", 12)
    out = tmp_path / "out"
    job = Job(spark, Configuration.load(config), str(tmp_path / "in"), str(out), format="jsonl")
    assert job.run().violations == []
    part = next(file for file in sorted(out.glob("round=*/table=results/part-*")) if file.stat().st_size)
    copy = part.with_name(part.name.replace("part-", "part-9"))
    copy.write_bytes(part.read_bytes())
    assert any("rows" in violation for violation in job.run().violations)
    copy.unlink()
    part.unlink()
    assert any("rows" in violation for violation in job.run().violations)


def test_the_ledger_is_that_of_one_machine(spark: SparkSession, tmp_path: Path, pipectl: str, config: str) -> None:
    paths = make_recordings(tmp_path / "in", 20)
    worker = Worker(config, pipectl=pipectl)
    reports = [outcome.report for outcome in worker.process([Recording(str(path)) for path in paths])]
    worker.stop()
    summary = Job(spark, Configuration.load(config), str(tmp_path / "in"), str(tmp_path / "out")).run()
    assert summary.ledger.report() == Ledger.sum(report for report in reports if report).report()


def test_the_command_refuses_what_is_wrong_before_spark_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "wrong.yaml").write_text("version: 1\nsources: [fiel]\nsinks: [stdout]\n")
    assert main([str(tmp_path / "wrong.yaml"), str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "[graph.unknown_component]" in capsys.readouterr().err


@pytest.fixture
def command(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a test call the command in this process. The other tests use the same session, which the command would stop."""
    monkeypatch.setattr(SparkSession, "stop", lambda session: None)


@pytest.mark.usefixtures("command")
def test_the_command_ends_with_2_if_there_is_no_folder_and_leaves_the_output_to_a_later_job(
    tmp_path: Path, config: str, capsys: pytest.CaptureFixture[str]
) -> None:
    missing, out = tmp_path / "missing", tmp_path / "out"
    assert main([config, str(missing), "--out", str(out)]) == 2
    assert f"error: {missing} cannot be listed" in capsys.readouterr().err
    assert not out.exists()
    make_recordings(tmp_path / "in", 2)
    assert main([config, str(tmp_path / "in"), "--out", str(out), "--format", "jsonl"]) == 0


@pytest.mark.usefixtures("command")
def test_the_command_ends_with_2_if_no_recording_matches_and_leaves_the_output_to_a_later_job(
    tmp_path: Path, config: str, capsys: pytest.CaptureFixture[str]
) -> None:
    make_recordings(tmp_path / "in", 2)
    folder, out = str(tmp_path / "in"), tmp_path / "out"
    assert main([config, folder, "--out", str(out), "--glob", "*.mcap"]) == 2
    assert f"error: {folder} contains no file whose name matches *.mcap" in capsys.readouterr().err
    assert not out.exists()
    assert main([config, folder, "--out", str(out), "--format", "jsonl"]) == 0


@pytest.mark.usefixtures("command")
def test_the_command_ends_with_3_and_one_line_if_spark_or_a_file_system_fails(
    tmp_path: Path, config: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_recordings(tmp_path / "in", 2)
    (tmp_path / "file").write_text("not a folder")
    for out, words in [
        (f"{tmp_path}/file/out", "file"),
        ("nowhere://bucket/out", 'No FileSystem for scheme "nowhere"'),
    ]:
        assert main([config, str(tmp_path / "in"), "--out", out]) == 3
        errors = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
        assert len(errors) == 1 and words in errors[0], errors

    # A task that fails in a Python process of an executor.
    monkeypatch.setattr(Job, "run", lambda job: job.spark.range(1).rdd.map(lambda row: row["missing"]).collect())
    assert main([config, str(tmp_path / "in"), "--out", str(tmp_path / "out")]) == 3
    errors = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1 and "missing" in errors[0], errors


@pytest.mark.usefixtures("command")
def test_the_command_does_not_end_with_1_for_a_defect_because_that_means_a_broken_ledger(
    tmp_path: Path, config: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(job: Job) -> None:
        raise KeyError("missing")

    monkeypatch.setattr(Job, "run", broken)
    assert main([config, str(tmp_path / "in"), "--out", str(tmp_path / "out")]) == 3
    assert "KeyError: 'missing'" in capsys.readouterr().err
