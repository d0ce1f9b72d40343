"""The ledgers of many runs, summed and checked."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

Counts = dict[str, int]


def _add(total: Counts, more: Counts) -> None:
    for key, value in more.items():
        total[key] = total.get(key, 0) + value


@dataclass
class Node:
    """The ledger of a source, stage or sink: the sums over runs."""

    component: str
    role: str
    counts: Counts = field(default_factory=dict)
    dropped: Counts = field(default_factory=dict)
    # The counts of the aligned input, if there is one.
    join: Counts | None = None
    join_dropped: Counts = field(default_factory=dict)

    COUNTS = ("in", "out", "passed", "absorbed", "failed", "lost")

    def add(self, node: dict[str, Any]) -> None:
        """Adds the counts of another run."""
        _add(self.counts, {key: node[key] for key in self.COUNTS})
        _add(self.dropped, node["dropped"])
        if node["join"] is not None:
            self.join = self.join if self.join is not None else {}
            _add(self.join, {key: node["join"][key] for key in ("frames", "sets", "used")})
            _add(self.join_dropped, node["join"]["dropped"])

    def violations(self, name: str) -> Iterator[str]:
        """Yields a message for each equation that does not hold."""
        counts = self.counts
        ended = counts["passed"] + counts["absorbed"] + counts["failed"] + sum(self.dropped.values())
        if counts["in"] != ended:
            yield f"{name}: {counts['in']} in, but {ended} ended"
        if self.role == "source" and counts["passed"] != counts["out"]:
            yield f"{name}: {counts['passed']} passed, but {counts['out']} out"
        if self.join is not None:
            ended = self.join["used"] + sum(self.join_dropped.values())
            if self.join["frames"] != ended:
                yield f"{name}: {self.join['frames']} to be aligned, but {ended} ended"
            if self.join["sets"] != counts["in"]:
                yield f"{name}: {self.join['sets']} sets made, but {counts['in']} in"


@dataclass
class Edge:
    """The ledger of an edge: the sums over runs."""

    counts: Counts = field(default_factory=dict)
    dropped: Counts = field(default_factory=dict)

    def add(self, edge: dict[str, Any]) -> None:
        """Adds the counts of another run."""
        _add(self.counts, {key: edge[key] for key in ("offered", "taken", "left")})
        _add(self.dropped, edge["dropped"])


@dataclass
class Ledger:
    """The summed ledgers of many runs of one pipeline."""

    runs: int = 0
    losses: int = 0
    nodes: dict[str, Node] = field(default_factory=dict)
    edges: dict[tuple[str, str], Edge] = field(default_factory=dict)
    # Equations that did not hold in one of the runs.
    broken: list[str] = field(default_factory=list)

    def add(self, report: dict[str, Any]) -> None:
        """Adds the report of a run, as `pipectl run --report` and `pipectl worker` write it, or the report of a sum."""
        self.runs += report.get("runs", 1)
        self.losses += report["losses"]
        self.broken += report["violations"]
        for node in report["nodes"]:
            self.nodes.setdefault(node["id"], Node(node["component"], node["role"])).add(node)
        for edge in report["edges"]:
            self.edges.setdefault((edge["from"], edge["to"]), Edge()).add(edge)

    @classmethod
    def sum(cls, reports: Iterable[str]) -> "Ledger":
        """Returns the sum of reports, each as JSON."""
        ledger = cls()
        for report in reports:
            ledger.add(json.loads(report))
        return ledger

    def violations(self) -> list[str]:
        """Returns a message for each equation that does not hold. Each is a defect of the program or of this package.

        The equations are checked on the sums, so they also fail if a part of a run was left out or counted twice.
        """
        found = list(self.broken)
        for name, node in self.nodes.items():
            found += node.violations(name)
        for (source, target), edge in self.edges.items():
            name = f"{source} -> {target}"
            ended = edge.counts["taken"] + edge.counts["left"] + sum(edge.dropped.values())
            if edge.counts["offered"] != ended:
                found.append(f"{name}: {edge.counts['offered']} offered, but {ended} ended")
            if edge.counts["left"]:
                found.append(f"{name}: {edge.counts['left']} left")
            out = self.nodes[source].counts["out"] if source in self.nodes else edge.counts["offered"]
            if out != edge.counts["offered"]:
                found.append(f"{name}: {out} out, but {edge.counts['offered']} offered")
        return found

    def rows_violations(self, rows: dict[str, int]) -> list[str]:
        """Returns a message for each sink whose number of written frames differs from its number of rows.

        ``rows`` has the number of rows in the table of results, by sink.
        """
        return [
            f"{sink}: {self.nodes[sink].counts['passed']} frames written, but {count} rows"
            for sink, count in rows.items()
            if self.nodes[sink].counts["passed"] != count
        ]

    def report(self) -> dict[str, Any]:
        """Returns the sum in the form of a report, without durations."""
        return {
            "version": 1,
            "runs": self.runs,
            "losses": self.losses,
            "nodes": [
                {
                    "id": name,
                    "component": node.component,
                    "role": node.role,
                    **node.counts,
                    "dropped": dict(sorted(node.dropped.items())),
                    "join": None
                    if node.join is None
                    else {**node.join, "dropped": dict(sorted(node.join_dropped.items()))},
                }
                for name, node in self.nodes.items()
            ],
            "edges": [
                {"from": source, "to": target, **edge.counts, "dropped": dict(sorted(edge.dropped.items()))}
                for (source, target), edge in self.edges.items()
            ],
            "violations": list(self.broken),
        }


def ledger_of(sessions: DataFrame) -> Ledger:
    """Returns the sum of the ledgers of all good recordings in a table made by ``sessions``. Executors compute partial sums."""
    reports = sessions.where(F.col("sink").isNull() & F.col("code").isNull()).select("report")
    return Ledger.sum(row["report"] for row in reports.mapInArrow(_sum, "report string").collect())


def _sum(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    ledger = Ledger()
    for batch in batches:
        for report in batch.column("report").to_pylist():
            ledger.add(json.loads(report))
    text = json.dumps(ledger.report())
    yield pa.RecordBatch.from_arrays([pa.array([text])], names=["report"])
