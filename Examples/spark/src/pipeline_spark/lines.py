"""Results and reports as JSON Lines, in which they are objects."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from .batches import Form, Item
from .schema import LINES_ARROW, LINES_SCHEMA


def _results(parts: Sequence[Item]) -> pa.RecordBatch:
    return _record_batch("results", parts, ["\n".join(_lines(part)) for part in parts])


def _lines(part: Item) -> Iterator[str]:
    # A loop in Python takes a third of a microsecond per line; a row per line would take Spark ten microseconds.
    rows = part.rows
    assert rows is not None
    begin = f'{{"path":{_text(part.outcome.path)},"position":'
    middle = f',"sink":{_text(rows.sink)},"result":'
    for position, line in enumerate(rows.text[:-1].decode().split("\n"), part.position):
        yield f"{begin}{position}{middle}{line}}}"


def _ends(ends: Sequence[Item]) -> pa.RecordBatch:
    return _record_batch("recordings", ends, [_end(end) for end in ends])


def _end(end: Item) -> str:
    outcome = end.outcome
    members = {
        "path": outcome.path, "rows": end.position,
        "code": outcome.code, "message": outcome.message, "location": outcome.location,
    }
    return f'{_text(members)[:-1]},"report":{outcome.report or "null"}}}'


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _record_batch(table: str, items: Sequence[Item], values: list[str]) -> pa.RecordBatch:
    columns = [
        pa.array([item.outcome.path for item in items], pa.string()),
        pa.array([item.position for item in items], pa.int32()),
        pa.array([table] * len(items), pa.string()),
        pa.array(values, pa.string()),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=LINES_ARROW)


LINES = Form(LINES_SCHEMA, _results, _ends)
"""Rows of text. Each row has several lines of one recording and sink, or the line for the end of a recording."""
