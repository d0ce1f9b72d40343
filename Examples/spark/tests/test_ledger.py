"""Sums of ledgers."""

import json
from pathlib import Path
from typing import Any

from pipeline_spark import Ledger
from pipeline_spark.worker import Recording, Worker

from .conftest import ROOT, make_recordings


def reports(tmp_path: Path, pipectl: str, config: str) -> list[str]:
    worker = Worker(config, pipectl=pipectl)
    outcomes = list(worker.process([Recording(str(path)) for path in make_recordings(tmp_path, 9)]))
    worker.stop()
    return [outcome.report for outcome in outcomes if outcome.report is not None]


def test_the_sum_balances_and_counts_every_frame(tmp_path: Path, pipectl: str, config: str) -> None:
    parts = reports(tmp_path, pipectl, config)
    ledger = Ledger.sum(parts)
    lines = sum(path.read_text().count("\n") for path in tmp_path.rglob("*.jsonl"))
    assert ledger.runs == len(parts) == 9
    assert ledger.nodes["file"].counts["in"] == ledger.nodes["stdout"].counts["passed"] == lines
    assert ledger.violations() == []
    # The sum of partial sums is the same.
    halves = [json.dumps(Ledger.sum(half).report()) for half in (parts[:4], parts[4:])]
    assert Ledger.sum(halves).report() == ledger.report()


def test_whatever_count_is_wrong_an_equation_breaks(tmp_path: Path, pipectl: str, config: str) -> None:
    parts = reports(tmp_path, pipectl, config)
    for place in ("nodes", "edges"):
        first: list[dict[str, Any]] = json.loads(parts[0])[place]
        for index, item in enumerate(first):
            for key in [key for key, value in item.items() if isinstance(value, int) and key not in ("lost", "p50_ns", "p99_ns")]:
                report = json.loads(parts[0])
                report[place][index][key] += 1
                ledger = Ledger.sum([json.dumps(report), *parts[1:]])
                rows = {"stdout": Ledger.sum(parts).nodes["stdout"].counts["passed"]}
                # An equation contains the output of a stage only if an edge follows the stage. The program itself checks the rest.
                if (item.get("role"), key) in (("stage", "out"), ("sink", "out")):
                    continue
                assert ledger.violations() + ledger.rows_violations(rows), f"{item}: {key}"


def test_the_ledger_of_a_join_balances(pipectl: str) -> None:
    worker = Worker(str(ROOT / "Configs" / "combine.yaml"), pipectl=pipectl)
    outcomes = list(worker.process([Recording(str(ROOT / "Samples" / "session.jsonl"))] * 2))
    worker.stop()
    ledger = Ledger.sum(outcome.report for outcome in outcomes if outcome.report)
    assert any(node.join for node in ledger.nodes.values())
    assert ledger.violations() == []
