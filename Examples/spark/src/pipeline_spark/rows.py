"""Results as rows: one row per result, with columns."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from .batches import Form, Item
from .schema import SESSIONS_ARROW, SESSIONS_SCHEMA

# The columns whose values are in the JSON of the results. Arrow reads them without a loop over rows in Python.
_ENVELOPE = pj.ParseOptions(
    explicit_schema=pa.schema([("stream", pa.string()), ("seq", pa.int64()), ("t_us", pa.int64())]),
    unexpected_field_behavior="ignore",
)


def _results(parts: Sequence[Item]) -> pa.RecordBatch:
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


def _ends(ends: Sequence[Item]) -> pa.RecordBatch:
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
    """Returns a batch with all columns. Columns that are not given are null."""
    arrays = [columns.get(field.name, pa.nulls(count, field.type)) for field in SESSIONS_ARROW]
    return pa.RecordBatch.from_arrays(arrays, schema=SESSIONS_ARROW)


ROWS = Form(SESSIONS_SCHEMA, _results, _ends)
"""The rows of ``sessions``."""
