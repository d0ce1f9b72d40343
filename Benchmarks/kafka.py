"""Measures how fast the source `kafka` reads, compared with a plain consumer.

Both read the same topic from the broker in `Tests/peers/kafka_broker`. The brokers of librdkafka's mock cluster cannot be used:
they keep only the last five megabytes of a partition.
"""

import atexit
import json
import resource
import subprocess
import sys
import time

from harness import OUT, PIPECTL, ROOT, Case, Skip, generated

STREAMS = 64
PARTITIONS = 4
FEW = 100


def of_many_pens(count):
    """Returns a file of the generated strokes, drawn with many pens."""
    path = OUT / f"pens-{count}.jsonl"
    if not path.exists():
        with open(generated("strokes", count)) as file, open(path.with_suffix(".tmp"), "w") as out:
            for number, line in enumerate(file):
                pen = f'"stream":"pen/{number % STREAMS}","seq":{number // STREAMS},'
                out.write(line.replace(f'"stream":"pen/1","seq":{number},', pen, 1))
        path.with_suffix(".tmp").rename(path)
    return path


class Cluster:
    """A broker with two topics: one with all strokes, and one with a few. The second shows the time to start and to end."""

    def __init__(self, count):
        self.broker = subprocess.Popen(
            [sys.executable, str(ROOT / "Tests/peers/kafka_broker"), "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        atexit.register(lambda: (self.broker.stdin.close(), self.broker.wait(10)))
        self.brokers = self.broker.stdout.readline().strip()
        self.groups = 0
        self.counts = {"all": count, "few": FEW}
        for topic, strokes in self.counts.items():
            self.carry_out(f"topic {topic} {PARTITIONS}")
            self.fill(topic, of_many_pens(strokes))

    def carry_out(self, command):
        self.broker.stdin.write(command + "\n")
        self.broker.stdin.flush()
        return self.broker.stdout.readline().strip()

    def fill(self, topic, strokes):
        pipeline = OUT / "kafka-fill.yaml"
        pipeline.write_text(
            f'version: 1\nsources:\n  - file: {{ path: "{strokes}", kind: stroke }}\n'
            f'sinks:\n  - kafka: {{ brokers: ["{self.brokers}"], topic: {topic}, ends: false }}\n')
        subprocess.run([PIPECTL, "run", "-q", pipeline], check=True)

    def timed(self, command, group, processor_time):
        """Runs a process. Returns its time in nanoseconds, and its output.

        The time is its processor time, or the wall-clock time from when it has its partitions. The time before that is not
        measured, because librdkafka waits sometimes half a second for partitions, and sometimes a whole second.
        """
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not self.carry_out(f"group {group}").startswith("stable"):
            time.sleep(0.002)
        began = time.perf_counter_ns()
        output, errors = process.communicate(timeout=120)
        took = time.perf_counter_ns() - began
        if process.returncode != 0:
            raise Skip(errors.strip().splitlines()[-1][:120] if errors.strip() else "failed")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if processor_time:
            took = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e9
        return took, output

    def read(self, side, topic, processor_time):
        """Returns the time that one side takes to read a topic, as a group that has read nothing yet, in nanoseconds."""
        self.groups += 1
        group = f"group-{self.groups}"
        if side == "ours":
            pipeline, report = OUT / "kafka.yaml", OUT / "kafka-report.json"
            pipeline.write_text(
                f'version: 1\nsources:\n  - kafka: {{ brokers: ["{self.brokers}"], topics: [{topic}], group: {group}, '
                'kind: stroke, until: end, client: { fetch.wait.max.ms: 10 } }\nsinks:\n  - "null"\n')
            took, _ = self.timed([PIPECTL, "run", "-q", f"--report={report}", pipeline], group, processor_time)
            found = json.loads(report.read_text())["nodes"][0]["out"]
        else:
            took, output = self.timed([OUT / "consume", self.brokers, topic, group], group, processor_time)
            found = json.loads(output)["items"]
        if found != self.counts[topic]:
            raise SystemExit(f"kafka: {found} of {self.counts[topic]} strokes were read ({side})")
        return took


def kafka_cases(count):
    """Yields the benchmarks of the source `kafka` against a plain consumer with the same decoding.

    The time that each side takes for a few strokes is subtracted, so that starting and ending do not count.
    """
    clusters = []

    def each(side, processor_time):
        def measured():
            if not PIPECTL.exists():
                raise Skip("pipectl has not been built")
            if not clusters:
                clusters.append(Cluster(count))
            every, few = (clusters[0].read(side, topic, processor_time) for topic in ("all", "few"))
            return (every - few) / (count - FEW)
        return measured

    for name, what, processor_time, aim in (
        ("kafka", "kafka source into discard, against consuming and parsing", False, 0.8),
        ("kafka-cpu", "the same, in processor time", True, None),
    ):
        yield Case(
            name, what, "ns/message", each("ours", processor_time), each("yardstick", processor_time), aim, is_speed=True)
