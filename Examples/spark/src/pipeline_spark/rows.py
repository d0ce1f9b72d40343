"""Arrow batches from the answers of a worker."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from .schema import SESSIONS_ARROW
from .worker import Outcome, Rows

# The columns that are read from the results. Arrow reads them without a loop over rows in Python.
_ENVELOPE = pj.ParseOptions(
    explicit_schema=pa.schema([("stream", pa.string()), ("seq", pa.int64()), ("t_us", pa.int64())]),
    unexpected_field_behavior="ignore",
)


@dataclass(frozen=True)
class _Item:
    """Results of a recording, or its end, which is one row."""

    outcome: Outcome
    # The number of rows of the recording before.
    position: int
    rows: Rows | None


class Batches:
    """Collects the outcomes of recordings into batches of a few megabytes."""

    # Text of more than 2 GB does not fit a column of strings.
    LIMIT = 8 << 20

    def __init__(self) -> None:
        self._outcomes: list[Outcome] = []
        self._size = 0

    def add(self, outcome: Outcome) -> Iterator[pa.RecordBatch]:
        """Adds what became of a recording, and yields the batches that are full."""
        self._outcomes.append(outcome)
        self._size += 1024 + sum(len(rows.text) for rows in outcome.rows)
        if self._size >= self.LIMIT:
            yield from self.rest()

    def rest(self) -> Iterator[pa.RecordBatch]:
        """Yields what remains."""
        outcomes, self._outcomes, self._size = self._outcomes, [], 0
        items: list[_Item] = []
        size = 0
        for outcome in outcomes:
            position = 0
            for rows in outcome.rows:
                for part in _pieces(rows, self.LIMIT):
                    items.append(_Item(outcome, position, part))
                    position += part.count
                    size += len(part.text)
                    if size >= self.LIMIT:
                        yield from _batches(items)
                        items, size = [], 0
            items.append(_Item(outcome, position, None))
        yield from _batches(items)


def _pieces(rows: Rows, limit: int) -> Iterator[Rows]:
    """Yields rows in pieces of at most about `limit` bytes."""
    if len(rows.text) <= 2 * limit:
        if rows.count:
            yield rows
        return
    begin = 0
    while begin < len(rows.text):
        end = rows.text.find(b"\n", min(begin + limit, len(rows.text) - 1)) + 1
        text = rows.text[begin:end]
        yield Rows(rows.sink, rows.kind, text.count(b"\n"), text)
        begin = end


def _batches(items: Sequence[_Item]) -> Iterator[pa.RecordBatch]:
    """Yields the results of items in their order, and then the ends of recordings in theirs.

    To put each end directly behind its results would copy all results once more.
    """
    parts = [item for item in items if item.rows is not None]
    ends = [item for item in items if item.rows is None]
    if parts:
        yield _results(parts)
    if ends:
        yield _ends(ends)


def _results(parts: Sequence[_Item]) -> pa.RecordBatch:
    rows = [part.rows for part in parts if part.rows is not None]
    text = b"".join(part.text for part in rows)
    counts = np.array([part.count for part in rows], dtype=np.int64)
    total = int(counts.sum())
    if total == 0:
        return _record_batch({}, 0)
    options = pj.ReadOptions(use_threads=False, block_size=len(text) + 1)
    envelope = pj.read_json(pa.BufferReader(text), options, _ENVELOPE).combine_chunks()
    lines = pc.split_pattern(pa.array([text[:-1].decode()]), "\n")[0].values
    first = np.repeat(np.array([part.position for part in parts]), counts)
    within = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)

    def repeated(values: list[str]) -> pa.Array:
        indices = pa.array(np.repeat(np.arange(len(values)), counts))
        return pa.array(values, pa.string()).take(indices)

    return _record_batch(
        {
            "path": repeated([part.outcome.path for part in parts]),
            "position": pa.array((first + within).astype(np.int32)),
            "sink": repeated([part.sink for part in rows]),
            "kind": repeated([part.kind for part in rows]),
            "stream": envelope.column("stream").chunk(0),
            "seq": envelope.column("seq").chunk(0),
            "t_us": envelope.column("t_us").chunk(0),
            "result": lines,
        },
        total,
    )


def _ends(ends: Sequence[_Item]) -> pa.RecordBatch:
    outcomes = [end.outcome for end in ends]
    return _record_batch(
        {
            "path": pa.array([outcome.path for outcome in outcomes], pa.string()),
            "position": pa.array([end.position for end in ends], pa.int32()),
            "code": pa.array([outcome.code for outcome in outcomes], pa.string()),
            "message": pa.array([outcome.message for outcome in outcomes], pa.string()),
            "location": pa.array([outcome.location for outcome in outcomes], pa.string()),
            "rows": pa.array([end.position for end in ends], pa.int64()),
            "report": pa.array([outcome.report for outcome in outcomes], pa.string()),
        },
        len(ends),
    )


def _record_batch(columns: dict[str, pa.Array], count: int) -> pa.RecordBatch:
    """Returns a batch with all columns; those that are not given are null."""
    arrays = [columns.get(field.name, pa.nulls(count, field.type)) for field in SESSIONS_ARROW]
    return pa.RecordBatch.from_arrays(arrays, schema=SESSIONS_ARROW)
