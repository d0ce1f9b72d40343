"""A job that runs a pipeline over all recordings below a folder and writes to another folder. It can be resumed."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark import StorageLevel
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from .configuration import Configuration
from .ledger import Ledger, ledger_of
from .recognition import lines, sessions
from .schema import SESSIONS_SCHEMA
from .storage import Storage


class JobError(Exception):
    """Raised if a job cannot run with its arguments."""


@dataclass(frozen=True)
class Summary:
    """The outcome of a job, including the jobs that it resumed."""

    # The numbers of recordings: finished in total, processed by this job, and finished before.
    recordings: int
    processed: int
    skipped: int
    # The number of files below the folder that are no recordings.
    left_out: int
    rows: int
    # The bad recordings: path, code, message and location.
    bad: list[dict[str, Any]]
    ledger: Ledger
    violations: list[str]

    def report(self) -> dict[str, Any]:
        """Returns the summary as data for JSON."""
        return {
            "version": 1,
            "recordings": self.recordings,
            "processed": self.processed,
            "skipped": self.skipped,
            "left_out": self.left_out,
            "rows": self.rows,
            "bad": self.bad,
            "violations": self.violations,
            "ledger": self.ledger.report(),
        }


@dataclass
class Job:
    """Runs a pipeline over recordings in rounds.

    A round is written completely or not at all. A resumed job continues with the recordings that are in no finished round.
    """

    spark: SparkSession
    config: Configuration
    # The folder with the recordings, in any file system that Spark can read.
    folder: str
    out: str
    # parquet or jsonl.
    format: str = "parquet"
    # A pattern for the names of recordings below the folder.
    glob: str = "*"
    # The largest number of recordings in a round.
    round: int = 10_000
    # Called with a line of progress.
    say: Callable[[str], None] = lambda line: None
    _storage: Storage = field(init=False)
    _archive: Storage = field(init=False)

    RESULTS = "results"
    RECORDINGS = "recordings"

    def __post_init__(self) -> None:
        if self.format not in ("parquet", "jsonl"):
            raise JobError(f"there is no format {self.format}: parquet, jsonl")
        self._archive = Storage(self.spark, self.folder)
        self._storage = Storage(self.spark, self.out)
        if f"{self._storage.address}/".startswith(f"{self._archive.address.rstrip('/')}/"):
            raise JobError(f"{self.out} lies in {self.folder}, so the next job would read results as recordings")
        # Spark sends this many recordings to Python at once: only paths if they are local, otherwise also the bytes.
        self.spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "256" if self._are_local else "16")
        # Before Spark reads files, it looks at each of them, by default in one task per file, which takes longer than to look.
        count = 4 * self.spark.sparkContext.defaultParallelism
        self.spark.conf.set("spark.sql.sources.parallelPartitionDiscovery.parallelism", str(count))
        # Lets each task write to both tables at the same time. Otherwise Spark first sorts the rows of the task by table.
        self.spark.conf.set("spark.sql.maxConcurrentOutputFileWriters", "2")

    @property
    def _are_local(self) -> bool:
        """Whether workers can open the recordings by their paths. Otherwise Spark reads the recordings."""
        return self._archive.is_disk

    def run(self) -> Summary:
        """Processes every recording that is not finished yet, and checks the ledgers of all recordings."""
        processed, skipped = self.run_rounds()
        return self._summary(processed, skipped, self._archive.count_files() - processed - skipped)

    def run_rounds(self) -> tuple[int, int]:
        """Processes every recording that is not finished yet.

        Returns two numbers: the recordings that were processed, and the recordings that were finished before.
        """
        # The recordings are listed first, so that a wrong folder or pattern does not claim the output.
        paths = self._list()
        self._claim()
        rounds = self._rounds()
        finished = self._finished(rounds)
        left = [path for path in paths if path not in finished]
        number = rounds[-1] + 1 if rounds else 0
        for begin in range(0, len(left), self.round):
            part = left[begin : begin + self.round]
            self._process(part, number)
            self.say(f"round {number}: {len(finished) + begin + len(part)} of {len(finished) + len(left)} recordings")
            number += 1
        return len(left), len(paths) - len(left)

    def _claim(self) -> None:
        """Makes sure that all results in the output folder come from this pipeline. Otherwise raises JobError."""
        mine = json.dumps({"version": 1, "name": self.config.name, "digest": self.config.digest, "format": self.format})
        written = self._storage.read("_pipeline")
        if written is None:
            if self._storage.names() not in ([], ["_pipeline"]):
                raise JobError(f"{self.out} is not empty, and is not the output of a job like this")
            self._storage.write("_pipeline", mine)
        elif written != mine:
            theirs = json.loads(written)
            what = "with another configuration" if theirs["format"] == self.format else f"as {theirs['format']}"
            raise JobError(f"{self.out} was written by the pipeline {theirs['name']}, {what}")

    def _rounds(self) -> list[int]:
        """Returns the numbers of the rounds that were written completely."""
        names = [name for name in self._storage.names() if name.startswith("round=")]
        return sorted(int(name[len("round=") :]) for name in names if self._storage.has(f"{name}/_SUCCESS"))

    def _list(self) -> list[str]:
        """Returns the paths of the recordings, in order. Raises JobError if there is no folder or no recording."""
        with self._archive.errors():
            try:
                files = self._files([self.folder], self.glob).select("path").collect()
            except AnalysisException as error:
                raise JobError(f"{self.folder} cannot be listed: {str(error).splitlines()[0]}") from error
        if not files:
            raise JobError(f"{self.folder} contains no file whose name matches {self.glob}")
        return sorted(row["path"] for row in files)

    def _files(self, paths: Sequence[str], glob: str | None) -> DataFrame:
        reader = self.spark.read.format("binaryFile").option("recursiveFileLookup", "true")
        if glob is not None:
            reader = reader.option("pathGlobFilter", glob)
        return reader.load(list(paths))

    def _finished(self, rounds: Sequence[int]) -> set[str]:
        if not rounds:
            return set()
        return {row["path"] for row in self._recordings().select("path").collect()}

    def _process(self, paths: Sequence[str], number: int) -> None:
        if self._are_local:
            context = self.spark.sparkContext
            # Several parts for each core: if a machine is lost, only its unfinished parts are processed again.
            count = min(len(paths), max(4 * context.defaultParallelism, len(paths) // 256))
            # Each part has consecutive recordings, so the order is kept without sorting.
            rows = context.parallelize([(path,) for path in paths], count)
            self._write(self._rows(self.spark.createDataFrame(rows, "path string")), number)
            return
        # To sort a table, Spark computes it twice: first to find out how to divide it. Without a copy of the results, it would
        # read and process each recording twice.
        table = self._rows(self._files([_escaped(path) for path in paths], None)).persist(StorageLevel.DISK_ONLY)
        try:
            self._write(table.orderBy("path", "position"), number)
        finally:
            table.unpersist()

    def _write(self, table: DataFrame, number: int) -> None:
        folder = f"{self.out.rstrip('/')}/round={number:05}"
        if self.format == "jsonl":
            table.select("value", "table").write.mode("overwrite").partitionBy("table").text(folder)
            return
        writer = table.write.mode("overwrite").partitionBy("table")
        # Nearly every frame and report is different, so a dictionary would cost time and save nothing.
        for name in ("result", "report"):
            writer = writer.option(f"parquet.enable.dictionary#{name}", "false")
        writer.parquet(folder)

    def _rows(self, recordings: DataFrame) -> DataFrame:
        if self.format == "jsonl":
            return lines(recordings, self.config)
        kind = F.when(F.col("sink").isNull(), self.RECORDINGS).otherwise(self.RESULTS)
        return sessions(recordings, self.config).withColumn("table", kind)

    def _table(self, name: str) -> DataFrame:
        """Returns a table of all finished rounds."""
        folders = [f"{self.out.rstrip('/')}/round={number:05}/table={name}" for number in self._rounds()]
        folders = [folder for folder in folders if self._storage.has(folder[len(self._storage.folder) + 1 :])]
        if not folders:
            return self.spark.createDataFrame([], SESSIONS_SCHEMA)
        if self.format == "parquet":
            return self.spark.read.schema(SESSIONS_SCHEMA).parquet(*folders)
        # Frames are not needed, so they are not parsed. Reports stay text.
        columns = "path string, sink string, rows long, code string, message string, location string"
        text = self.spark.read.text(folders)
        parsed = text.select(F.from_json("value", columns).alias("row"), F.get_json_object("value", "$.report").alias("report"))
        return parsed.select("row.*", "report")

    def _recordings(self) -> DataFrame:
        return self._table(self.RECORDINGS)

    def _summary(self, processed: int, skipped: int, left_out: int) -> Summary:
        recordings = self._recordings().select("path", "sink", "rows", "code", "message", "location", "report")
        recordings = recordings.persist(StorageLevel.MEMORY_AND_DISK)
        try:
            totals = recordings.agg(F.count("*").alias("recordings"), F.sum("rows").alias("rows")).collect()[0]
            bad = recordings.where(F.col("code").isNotNull()).orderBy("path")
            bad_rows = [row.asDict() for row in bad.select("path", "code", "message", "location").collect()]
            ledger = ledger_of(recordings)
        finally:
            recordings.unpersist()
        counts = {row["sink"]: row["count"] for row in self._table(self.RESULTS).groupBy("sink").count().collect()}
        rows = {sink: counts.pop(sink, 0) for sink, _ in self.config.sinks if sink in ledger.nodes}
        violations = ledger.violations() + ledger.rows_violations(rows)
        violations += [f"{sink}: {count} rows of a sink that does not exist" for sink, count in counts.items()]
        if ledger.runs != totals["recordings"] - len(bad_rows):
            violations.append(f"{totals['recordings'] - len(bad_rows)} good recordings, but {ledger.runs} reports")
        return Summary(
            totals["recordings"], processed, skipped, left_out, totals["rows"] or 0, bad_rows, ledger, violations
        )


def _escaped(path: str) -> str:
    """Returns a path in which all characters that have a meaning in patterns are escaped."""
    return "".join("\\" + character if character in "\\*?[]{}" else character for character in path)
