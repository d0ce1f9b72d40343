"""The command: python -m pipeline_spark CONFIG FOLDER --out OUT."""

import argparse
import json
import sys
import traceback
from collections.abc import Sequence

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from .configuration import Configuration, ConfigurationError
from .job import Job, JobError, Summary
from .storage import reason


def main(words: Sequence[str] | None = None) -> int:
    """Runs the command.

    Returns its exit code: 0 for success, 1 if a ledger is broken, 2 if a flag or the configuration is wrong, and 3 if something
    else fails: Spark, a file system, the network.
    """
    parser = argparse.ArgumentParser(
        prog="python -m pipeline_spark",
        description="Runs a pipeline over all recordings below a folder, on Spark.",
        epilog="To resume an interrupted job, run the same command again. Bad recordings are reported but do not end the job.",
    )
    parser.add_argument("config", metavar="CONFIG", help="the pipeline, in YAML")
    parser.add_argument("folder", metavar="FOLDER", help="the recordings: a folder, s3a://…, hdfs://…")
    parser.add_argument("--out", required=True, help="the output folder")
    parser.add_argument("--format", choices=["parquet", "jsonl"], default="parquet", help="default: parquet")
    parser.add_argument("--glob", default="*", help="pattern for the names of recordings, as in *.mcap; default: all")
    parser.add_argument("--round", type=int, default=10_000, help="recordings per round, the unit of resuming; default: 10000")
    parser.add_argument("--set", action="append", default=[], metavar="ID.OPTION=VALUE", help="overrides an option")
    parser.add_argument("--source", help="the source to replace by the recordings, if there are several sources")
    parser.add_argument("--pipectl", help="the path of pipectl on every machine; default: $PIPECTL, or pipectl")
    parser.add_argument("--master", help="the Spark master, as for spark-submit; default: from Spark's own configuration")
    flags = parser.parse_args(words)
    if flags.round < 1:
        parser.error("--round must be at least 1")
    try:
        # Check the configuration before Spark starts, because an invalid configuration is the most frequent mistake.
        config = Configuration.load(flags.config, settings=flags.set, source=flags.source, pipectl=flags.pipectl)
        builder = SparkSession.builder.appName(f"pipeline {config.name}")
        if flags.master:
            builder = builder.master(flags.master)
        spark = builder.getOrCreate()
        try:
            summary = Job(spark, config, flags.folder, flags.out, flags.format, flags.glob, flags.round, _say).run()
        finally:
            spark.stop()
    except (ConfigurationError, JobError) as error:
        _say(f"error: {error}")
        return 2
    except (PySparkException, Py4JError, OSError) as error:
        _say(f"error: {reason(error)}")
        return 3
    except Exception:
        # Without this, Python would end with 1, which means a broken ledger.
        traceback.print_exc()
        return 3
    print(json.dumps(summary.report(), ensure_ascii=False))
    _tell(summary)
    return 1 if summary.violations else 0


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _tell(summary: Summary) -> None:
    """Prints the outcome for the user."""
    _say(
        f"{summary.recordings} recordings, {summary.rows} results; "
        f"{summary.processed} processed now, {summary.skipped} processed before"
    )
    if summary.left_out:
        _say(
            f"{summary.left_out} files left out: they are empty, their names do not match --glob, "
            "or they or their folders have names that begin with _ or . or end with ._COPYING_"
        )
    if summary.bad:
        _say(f"{len(summary.bad)} bad recordings:")
        for bad in summary.bad[:20]:
            _say(f"  {bad['location'] or bad['path']}: {bad['message']} [{bad['code']}]")
        if len(summary.bad) > 20:
            _say(f"  and {len(summary.bad) - 20} more, in the table of recordings")
    if summary.violations:
        _say("ledger: broken, which is a defect")
        for violation in summary.violations:
            _say(f"  {violation}")
    else:
        _say(f"ledger: every frame of {summary.ledger.runs} runs is accounted for")


if __name__ == "__main__":
    sys.exit(main())
