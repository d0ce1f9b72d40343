"""A pipeline with the files that it needs. Spark copies the files to every machine."""

import functools
import hashlib
import os
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyspark import SparkContext, SparkFiles

from .worker import Refused, Worker, WorkerDied


class ConfigurationError(Exception):
    """Raised for a configuration that cannot be used. The message has all findings, one per line."""


@dataclass(frozen=True)
class Configuration:
    """A pipeline that was checked.

    This object is small and can be sent to executors. ``ship`` sends the files themselves.
    """

    # The name of the pipeline.
    name: str
    # The sinks whose frames are results: `id` and `kind`.
    sinks: tuple[tuple[str, str], ...]
    settings: tuple[str, ...]
    source: str | None
    pipectl: str
    # For the configuration and each file that it reads: the path on this machine, and the name below a common folder.
    files: tuple[tuple[str, str], ...]
    # A digest of the contents of all files, the settings and the source. With the same version of pipectl, equal digests mean equal
    # results.
    digest: str

    @classmethod
    def load(
        cls, path: str, *, settings: Sequence[str] = (), source: str | None = None, pipectl: str | None = None
    ) -> "Configuration":
        """Checks a configuration, with a worker on this machine.

        ``pipectl`` is the path of the program on every machine. The default is the environment variable PIPECTL or, if that is
        not set, the program that is found in PATH. Raises ConfigurationError.
        """
        program = pipectl or os.environ.get("PIPECTL") or "pipectl"
        worker = Worker(os.path.abspath(path), list(settings), source, program)
        try:
            worker.start()
        except Refused as refused:
            raise ConfigurationError(findings(refused.args[0])) from None
        except (OSError, WorkerDied) as error:
            raise ConfigurationError(f"{program} cannot be run: {error}") from error
        answer = worker.answer
        worker.stop()
        paths = [os.path.abspath(path), *sorted({os.path.abspath(file) for file in answer["files"]} - {os.path.abspath(path)})]
        root = os.path.commonpath([os.path.dirname(file) for file in paths])
        digest = hashlib.sha256(repr((list(settings), source)).encode())
        names = []
        for file in paths:
            name = os.path.relpath(file, root)
            names.append(name)
            with open(file, "rb") as stream:
                digest.update(f"\0{name}\0".encode() + hashlib.sha256(stream.read()).digest())
        sinks = tuple((sink["id"], sink["kind"]) for sink in answer["sinks"])
        return cls(
            answer["name"], sinks, tuple(settings), source, program, tuple(zip(paths, names)), digest.hexdigest()
        )

    @property
    def folder(self) -> str:
        """The name of the folder, among Spark's files on an executor, that contains the configuration."""
        return f"pipeline-{self.digest[:16]}"

    def ship(self, context: SparkContext) -> None:
        """Lets Spark copy the files to every executor that uses them. Later calls do nothing."""
        if any(archive.endswith(f"#{self.folder}") for archive in context.listArchives):
            return
        archive = os.path.join(_archives().name, f"{self.folder}.zip")
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
            for path, name in self.files:
                zipped.write(path, name)
        context.addArchive(f"{archive}#{self.folder}")

    def worker(self) -> Worker:
        """Returns a worker for this pipeline. Call this on an executor, to which Spark has copied the files."""
        path = os.path.join(SparkFiles.getRootDirectory(), self.folder, self.files[0][1])
        return Worker(path, self.settings, self.source, self.pipectl)


@functools.cache
def _archives() -> "tempfile.TemporaryDirectory[str]":
    """Returns the folder from which Spark copies the archives. It exists until this process ends."""
    return tempfile.TemporaryDirectory(prefix="pipeline-spark-")


def findings(answer: dict[str, Any]) -> str:
    """Returns the findings in a worker's answer as text, one finding per line."""
    lines = []
    for finding in answer.get("findings") or [answer["error"]]:
        place = f"{finding['file']}:{finding['line']}:{finding['column']}: " if "file" in finding else ""
        help_text = f" ({finding['help']})" if finding.get("help") else ""
        lines.append(f"{place}{finding['message']} [{finding['code']}]{help_text}")
    return "\n".join(lines)
