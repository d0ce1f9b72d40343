"""Tests of the functions on DataFrames."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from pipeline_spark import RECOGNIZE_SCHEMA, SESSIONS_SCHEMA, Configuration, recognize, sessions
from pipeline_spark.batches import Batches, Form
from pipeline_spark.lines import LINES
from pipeline_spark.rows import ROWS
from pipeline_spark.worker import Outcome, Rows

from .conftest import ROOT, make_recordings, run


def test_rows_are_those_of_runs_by_path_and_by_content(
    spark: SparkSession, tmp_path: Path, pipectl: str, config: str
) -> None:
    paths = make_recordings(tmp_path, 20)
    expected = {str(path): run(pipectl, config, path).splitlines() for path in paths}
    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(str(tmp_path))
    by_path = spark.createDataFrame([(str(path),) for path in paths], "path string")
    for table in (files, by_path):
        result = recognize(table, config)
        assert result.schema == RECOGNIZE_SCHEMA
        found: dict[str, list[str]] = {}
        for row in result.orderBy("path", "position").collect():
            found.setdefault(row["path"].removeprefix("file:"), []).append(row["result"])
            frame = json.loads(row["result"])
            assert (row["kind"], row["stream"], row["seq"], row["t_us"]) == tuple(
                frame[key] for key in ("kind", "stream", "seq", "t_us")
            )
        assert found == expected


def test_a_bad_recording_is_a_row_with_its_error(spark: SparkSession, tmp_path: Path, config: str) -> None:
    (tmp_path / "bad.jsonl").write_text('{"v":1,"kind":"stroke"}\n')
    good = ROOT / "Samples" / "session.jsonl"
    table = spark.createDataFrame([(str(tmp_path / "bad.jsonl"),), (str(good),)], "path string")
    rows = recognize(table, Configuration.load(config)).orderBy("path").collect()
    errors = [row for row in rows if row["code"] is not None]
    assert len(rows) == 25 and len(errors) == 1
    assert errors[0]["code"].startswith("decode.") and "bad.jsonl, line 1" in errors[0]["location"]
    assert errors[0]["result"] is None


def test_sessions_have_a_report_for_each_recording(spark: SparkSession, config: str) -> None:
    good = str(ROOT / "Samples" / "session.jsonl")
    table = sessions(spark.createDataFrame([(good,)] * 3, "path string").coalesce(1), config)
    assert table.schema == SESSIONS_SCHEMA
    rows = table.collect()
    results = [row["position"] for row in rows if row["sink"] is not None]
    assert results == [*range(24)] * 3
    ends = [row for row in rows if row["sink"] is None]
    assert [end["position"] for end in ends] == [24] * 3
    for end in ends:
        assert end["rows"] == 24 and end["code"] is None
        assert json.loads(end["report"])["violations"] == []


def test_a_worker_stays_for_later_tasks_and_jobs(
    spark: SparkSession, tmp_path: Path, pipectl: str, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = make_recordings(tmp_path / "in", 24)
    program = tmp_path / "pipectl"
    program.write_text(f'#!/bin/sh\n[ "$1" = worker ] && echo started >>"{tmp_path}/started"\nexec "{pipectl}" "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PIPECTL", str(program))
    pipeline = Configuration.load(config)
    (tmp_path / "started").unlink()
    table = spark.createDataFrame([(str(path),) for path in paths], "path string").repartition(12)
    counts = [recognize(table, pipeline).count() for _ in range(3)]
    assert len(set(counts)) == 1
    # There are 36 tasks, and two of them run at the same time.
    assert len((tmp_path / "started").read_text().splitlines()) <= 4


def test_columns_of_results_can_be_read_by_spark(spark: SparkSession, config: str) -> None:
    table = spark.createDataFrame([(str(ROOT / "Samples" / "session.jsonl"),)], "path string")
    schema = "categories array<struct<name string, score double>>, label string"
    best = recognize(table, config).select(F.from_json("result", schema).alias("r")).select(
        F.col("r.categories")[0]["name"].alias("name"), "r.label"
    )
    assert best.where("name = label").count() == 20


LINE = '{"v":1,"kind":"stroke","stream":"pen","seq":%d,"t_us":%d,"text":"é"}\n'
BIG = "".join(LINE % (number, number * 10) for number in range(3000)).encode()


def batched(form: Form, monkeypatch: pytest.MonkeyPatch) -> list[pa.RecordBatch]:
    """Returns the batches of three recordings, each of which is larger than a batch."""
    monkeypatch.setattr(Batches, "LIMIT", 1 << 14)
    batches = Batches(form)
    found = []
    for number in range(3):
        rows = [Rows("a", "stroke", 3000, BIG), Rows("b", "stroke", 0, b"")]
        found += list(batches.add(Outcome(f"{number % 2}", rows, report="{}")))
    return found + list(batches.rest())


def test_results_larger_than_a_batch_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    found = batched(ROWS, monkeypatch)
    rows = [row for batch in found for row in batch.to_pylist()]
    assert len(found) > 3
    results = [row for row in rows if row["sink"] is not None]
    assert [row["position"] for row in results] == [*range(3000)] * 3
    assert "".join(row["result"] + "\n" for row in results[:3000]).encode() == BIG
    assert [row["seq"] for row in results[:3000]] == [*range(3000)]
    assert [(row["path"], row["rows"]) for row in rows if row["sink"] is None] == [("0", 3000), ("1", 3000), ("0", 3000)]


def test_lines_have_the_results_and_ends_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    found = batched(LINES, monkeypatch)
    values = [row for batch in found for row in batch.to_pylist()]
    results = [json.loads(line) for row in values if row["table"] == "results" for line in row["value"].split("\n")]
    assert [(line["path"], line["position"], line["sink"]) for line in results] == [
        (path, position, "a") for path in "010" for position in range(3000)
    ]
    assert [line["result"] for line in results] == [json.loads(line) for line in BIG.splitlines()] * 3
    # The position of each row is the number of its first line.
    for row in values:
        if row["table"] == "results":
            assert json.loads(row["value"].split("\n")[0])["position"] == row["position"]
    ends = [json.loads(row["value"]) for row in values if row["table"] == "recordings"]
    nothing = {"code": None, "message": None, "location": None}
    assert ends == [{"path": path, "rows": 3000, **nothing, "report": {}} for path in "010"]
