"""Pipelines on DataFrames of recordings."""

from collections.abc import Callable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from .batches import Batches, Form
from .configuration import Configuration
from .lines import LINES
from .rows import ROWS
from .schema import RECOGNIZE_SCHEMA
from .worker import Recording, Worker

# The workers by the digest of the configuration and the program. Spark runs many tasks in one Python process, which share them.
_workers: dict[tuple[str, str], Worker] = {}


def sessions(df: DataFrame, config: Configuration | str) -> DataFrame:
    """Runs a pipeline on every recording of a table, and returns the results and the outcome of each recording.

    ``df`` has either the column ``path``, with paths that every executor can open, or the columns ``path`` and ``content``
    of Spark's reader ``binaryFile``. The returned table has the columns of ``SESSIONS_SCHEMA``. Each recording has one row
    per result, in the pipeline's order, and one row for its outcome, which has no ``sink``. The outcome has the report of
    the run and, if the recording was bad, a ``code``. Recordings keep the order of their partition. An outcome comes after
    the results of its recording, but other rows can be between them; sort by ``path`` and ``position`` to change that.
    """
    return _mapped(df, config, ROWS)


def lines(df: DataFrame, config: Configuration | str) -> DataFrame:
    """Does the same as ``sessions``, but returns lines of JSON.

    The returned table has the columns of ``LINES_SCHEMA``. A row has many lines, because each row costs Spark time.
    """
    return _mapped(df, config, LINES)


def recognize(df: DataFrame, config: Configuration | str) -> DataFrame:
    """Runs a pipeline on every recording of a table, and returns the results.

    The returned table has the columns of ``RECOGNIZE_SCHEMA``. A bad recording has no results, but one row with a ``code``
    and a ``message``. ``sessions`` also returns the ledgers.
    """
    table = sessions(df, config)
    wanted = F.col("sink").isNotNull() | F.col("code").isNotNull()
    return table.where(wanted).select(*RECOGNIZE_SCHEMA.names)


def _mapped(df: DataFrame, config: Configuration | str, form: Form) -> DataFrame:
    if isinstance(config, str):
        config = Configuration.load(config)
    config.ship(df.sparkSession.sparkContext)
    columns = ["path", "content"] if "content" in df.columns else ["path"]
    return df.select(*columns).mapInArrow(_mapper(config, form), form.schema)


def _mapper(config: Configuration, form: Form) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    # Spark sends this inner function to executors with copies of the variables that it uses. It must not use `_workers` itself:
    # only a function of the module sees the `_workers` of the executor's process.
    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return _process(batches, config, form)

    return run


def _process(batches: Iterator[pa.RecordBatch], config: Configuration, form: Form) -> Iterator[pa.RecordBatch]:
    worker = _worker(config)
    rows = Batches(form)
    for batch in batches:
        for outcome in worker.process(_recordings(batch)):
            yield from rows.add(outcome)
    yield from rows.rest()


def _worker(config: Configuration) -> Worker:
    """Returns the worker of this process. It continues to run for later tasks with the same configuration."""
    key = (config.digest, config.pipectl)
    if key not in _workers:
        # Stop the others, so that a long session with many configurations does not accumulate processes.
        while _workers:
            _workers.popitem()[1].stop()
        _workers[key] = config.worker()
    worker = _workers[key]
    worker.start()
    return worker


def _recordings(batch: pa.RecordBatch) -> list[Recording]:
    paths = batch.column("path").to_pylist()
    if "content" not in batch.schema.names:
        return [Recording(path) for path in paths]
    # A view of the bytes, not a copy.
    return [
        Recording(path, memoryview(content.as_buffer()) if content.is_valid else b"")
        for path, content in zip(paths, batch.column("content"))
    ]
