"""Batches of results, collected from the answers of a worker."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql.types import StructType

from .worker import Outcome, Rows


@dataclass(frozen=True)
class Item:
    """Some results of a recording or, if `rows` is None, the end of the recording, which becomes one row."""

    outcome: Outcome
    # The number of results of the recording before this item.
    position: int
    rows: Rows | None


@dataclass(frozen=True)
class Form:
    """Converts results and the ends of recordings to rows."""

    # The columns, with Spark's types.
    schema: StructType
    # Converts results. The argument is not empty, and its items have rows.
    results: Callable[[Sequence[Item]], pa.RecordBatch]
    # Converts the ends of recordings. The argument is not empty, and its items have no rows.
    ends: Callable[[Sequence[Item]], pa.RecordBatch]


class Batches:
    """Collects the outcomes of recordings into batches of a few megabytes."""

    # The approximate size of a batch in bytes. A column of strings in Arrow cannot hold more than 2 GB.
    LIMIT = 8 << 20

    def __init__(self, form: Form) -> None:
        self._form = form
        self._outcomes: list[Outcome] = []
        self._size = 0

    def add(self, outcome: Outcome) -> Iterator[pa.RecordBatch]:
        """Adds the outcome of a recording, and yields the batches that are full."""
        self._outcomes.append(outcome)
        self._size += 1024 + sum(len(rows.text) for rows in outcome.rows)
        if self._size >= self.LIMIT:
            yield from self.rest()

    def rest(self) -> Iterator[pa.RecordBatch]:
        """Yields the remaining outcomes as batches."""
        outcomes, self._outcomes, self._size = self._outcomes, [], 0
        items: list[Item] = []
        size = 0
        for outcome in outcomes:
            position = 0
            for rows in outcome.rows:
                for part in _pieces(rows, self.LIMIT):
                    items.append(Item(outcome, position, part))
                    position += part.count
                    size += len(part.text)
                    if size >= self.LIMIT:
                        yield from self._batches(items)
                        items, size = [], 0
            items.append(Item(outcome, position, None))
        yield from self._batches(items)

    def _batches(self, items: Sequence[Item]) -> Iterator[pa.RecordBatch]:
        """Yields one batch with the results among the items, and one with the ends of recordings, each in the order of the items.

        Putting each end directly after its results would copy all results once more.
        """
        parts = [item for item in items if item.rows is not None]
        ends = [item for item in items if item.rows is None]
        if parts:
            yield self._form.results(parts)
        if ends:
            yield self._form.ends(ends)


def _pieces(rows: Rows, limit: int) -> Iterator[Rows]:
    """Yields rows in pieces of about `limit` bytes. Rows of at most twice this size remain one piece."""
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
