"""The common parts of the benchmarks: paths, cases and their measurement, and generated inputs."""

import json
import os
import statistics
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / ".build/bench"
BENCH = ROOT / ".build/install/release/bench"
PIPECTL = OUT / "installed/bin/pipectl"


class Skip(Exception):
    """Raised, with the reason, by a benchmark that cannot run on this machine."""


class Case:
    """One benchmark.

    `ours` and `yardstick` each run one side once and return its time per item, in the unit of the case. `aim` is a bound on the
    median ratio, or `None`: an upper bound on the ratio of times (ours / yardstick) or, if `is_speed`, a lower bound on the ratio
    of speeds (time of the yardstick / our time).
    """

    def __init__(self, name, what, unit, ours, yardstick, aim, is_speed=False):
        self.name, self.what, self.unit = name, what, unit
        self.ours, self.yardstick = ours, yardstick
        self.aim, self.is_speed = aim, is_speed

    def measure(self, pairs):
        ours, yardstick, ratios = [], [], []
        for i in range(pairs):
            # The sides take turns in going first, so that neither side always benefits from a warm machine.
            if i % 2 == 0:
                a, b = self.ours(), self.yardstick()
            else:
                b, a = self.yardstick(), self.ours()
            ours.append(a)
            yardstick.append(b)
            ratios.append(b / a if self.is_speed else a / b)
        median = statistics.median(ratios)
        return {
            "name": self.name,
            "what": self.what,
            "unit": self.unit,
            "ours": statistics.median(ours),
            "yardstick": statistics.median(yardstick),
            "ratio": median,
            "lowest": min(ratios),
            "highest": max(ratios),
            "pairs": pairs,
            "aim": "" if self.aim is None else ("≥ " if self.is_speed else "≤ ") + f"{self.aim:g}",
            "is_reached": self.aim is None or (median >= self.aim if self.is_speed else median <= self.aim),
        }


class Count:
    """A figure without a yardstick.

    `count` returns two numbers: the figure, and the figure to divide it by. The second is `None` if the first is not shown as a
    ratio. `aim` is an upper bound on the result, or `None`.
    """

    def __init__(self, name, what, unit, count, aim):
        self.name, self.what, self.unit, self.count, self.aim = name, what, unit, count, aim

    def measure(self, pairs):
        value, against = self.count()
        ratio = value if against is None else value / against
        return {
            "name": self.name, "what": self.what, "unit": self.unit, "ours": value, "yardstick": against,
            "ratio": ratio, "lowest": ratio, "highest": ratio, "pairs": 1,
            "aim": "" if self.aim is None else f"≤ {self.aim:g}",
            "is_reached": self.aim is None or ratio <= self.aim,
        }


checks = {}


def measured(command, check=None, on_one_core=False, environment=None):
    """Runs one side and returns its nanoseconds per item.

    `check` is a name. All runs with the same name must print the same check value.
    """
    can_choose = on_one_core and hasattr(os, "sched_setaffinity")
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, env={**os.environ, **(environment or {})},
        preexec_fn=(lambda: os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})) if can_choose else None)
    if done.returncode != 0:
        raise Skip(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit {done.returncode}")
    found = json.loads(done.stdout)
    if check is not None:
        expected = checks.setdefault(check, found["check"])
        if abs(found["check"] - expected) > 1e-9 * max(1, abs(expected)):
            raise SystemExit(f"{check}: the two sides do not agree: {found['check']} and {expected}")
    return found["ns"]


def generated(what, count):
    path = OUT / f"{what}-{count}.jsonl"
    if not path.exists():
        with open(path.with_suffix(".tmp"), "wb") as file:
            subprocess.run([OUT / "generate", what, str(count)], stdout=file, check=True)
        path.with_suffix(".tmp").rename(path)
    return path
