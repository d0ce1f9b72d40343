"""A process of ``pipectl worker``."""

import json
import subprocess
import threading
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any


class WorkerDied(Exception):
    """Raised if the process ended before it had answered."""


class Refused(Exception):
    """Raised if the worker refused the configuration. The argument is the worker's answer."""


@dataclass(frozen=True)
class Recording:
    """A recording: a path that the worker can open or, with ``content``, the bytes of the file at that path."""

    path: str
    content: Any = None

    @property
    def name(self) -> str:
        """The name of the file, which determines the format."""
        return self.path.rstrip("/").rsplit("/", 1)[-1] or "recording"

    def located(self, location: str | None) -> str | None:
        """Returns the location of an error so that it begins with the path, even if the worker knows only the name of the file."""
        if self.content is None or location is None or not location.startswith(self.name):
            return location
        return local_path(self.path) + location[len(self.name) :]

    def job(self) -> bytes:
        """Returns the line that announces the recording to the worker."""
        members: dict[str, Any] = {"path": local_path(self.path)}
        if self.content is not None:
            members = {"name": self.name, "bytes": len(self.content)}
        return json.dumps(members).encode() + b"\n"


def local_path(path: str) -> str:
    """Returns a path without the prefix ``file:`` that Spark adds."""
    if not path.startswith("file:"):
        return path
    rest = path[len("file:") :]
    return "/" + rest.lstrip("/") if rest.startswith("/") else rest


@dataclass(frozen=True)
class Rows:
    """The results that a sink received."""

    sink: str
    kind: str
    count: int
    # Lines of canonical JSON.
    text: bytes


@dataclass(frozen=True)
class Outcome:
    """The outcome of a recording: its results, or an error."""

    path: str
    rows: Sequence[Rows] = ()
    code: str | None = None
    message: str | None = None
    location: str | None = None
    # The report of the run as JSON; None if there was no run.
    report: str | None = None


@dataclass
class Worker:
    """A process that runs one pipeline on one recording after another.

    The process starts when it is needed, and starts again if it has died.
    """

    config: str
    settings: Sequence[str] = ()
    source: str | None = None
    pipectl: str = "pipectl"
    # The worker's answer to the configuration.
    answer: dict[str, Any] = field(default_factory=dict)
    _process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Starts the process and loads the pipeline, unless the process is already running.

        Raises Refused for a configuration that cannot be used, OSError if the program cannot be run, and WorkerDied if it ends
        before it has answered.
        """
        if self._process is not None:
            return
        self._process = subprocess.Popen(
            [self.pipectl, "worker", "-q"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=1 << 16
        )
        job: dict[str, Any] = {"config": self.config, "set": list(self.settings)}
        if self.source is not None:
            job["source"] = self.source
        try:
            self._send(json.dumps(job).encode() + b"\n")
            self.answer = self._head()
        except (WorkerDied, OSError) as error:
            self.stop()
            raise WorkerDied(f"{self.pipectl} worker ended before it answered") from error
        if "error" in self.answer:
            self.stop()
            raise Refused(self.answer)

    def stop(self) -> None:
        """Kills the process, even if it is busy."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for stream in (process.stdin, process.stdout):
            try:
                if stream is not None:
                    stream.close()
            except OSError:
                pass
        process.wait()

    def process(self, recordings: Sequence[Recording]) -> Generator[Outcome, None, None]:
        """Yields the outcome of each recording, in order.

        If the process dies at a recording, that recording is tried once more, alone. If the process dies again, the outcome is an
        error.
        """
        done = 0
        has_died = False
        while done < len(recordings):
            # A recording that may have killed the worker is sent alone.
            part = recordings[done : done + 1] if has_died else recordings[done:]
            try:
                for outcome in self._process_all(part):
                    done += 1
                    has_died = False
                    yield outcome
            except WorkerDied:
                if has_died:
                    message = "the worker died twice while it processed this recording"
                    yield Outcome(recordings[done].path, code="worker.died", message=message)
                    done += 1
                has_died = not has_died

    def _process_all(self, recordings: Sequence[Recording]) -> Generator[Outcome, None, None]:
        self.start()
        assert self._process is not None and self._process.stdin is not None
        # A second thread sends the recordings, so that the worker already has the next one while this thread handles results.
        sender = threading.Thread(target=self._send_all, args=(self._process.stdin, recordings), daemon=True)
        sender.start()
        is_done = False
        try:
            for recording in recordings:
                yield self._outcome(recording)
            is_done = True
        finally:
            # Stop the process, because its unread answers would be mistaken for answers to later recordings.
            if not is_done:
                self.stop()
            sender.join()

    @staticmethod
    def _send_all(stream: IO[bytes], recordings: Sequence[Recording]) -> None:
        try:
            for recording in recordings:
                stream.write(recording.job())
                if recording.content is not None:
                    stream.write(recording.content)
            stream.flush()
        except (OSError, ValueError):
            # The worker has died. The thread that reads the answers notices this, too.
            pass

    def _outcome(self, recording: Recording) -> Outcome:
        head = self._head()
        report = head.get("report")
        text = None if report is None else json.dumps(report, separators=(",", ":"), ensure_ascii=False)
        error = head.get("error")
        if error is not None:
            location = recording.located(error.get("location"))
            return Outcome(recording.path, (), error["code"], error["message"], location, text)
        rows = [
            Rows(result["sink"], result["kind"], result["rows"], self._read(result["bytes"]))
            for result in head["results"]
        ]
        return Outcome(recording.path, rows, report=text)

    def _send(self, line: bytes) -> None:
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(line)
        self._process.stdin.flush()

    def _head(self) -> dict[str, Any]:
        assert self._process is not None and self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise WorkerDied("the worker has ended")
        head: dict[str, Any] = json.loads(line)
        return head

    def _read(self, count: int) -> bytes:
        assert self._process is not None and self._process.stdout is not None
        data = self._process.stdout.read(count)
        if len(data) < count:
            raise WorkerDied("the worker has ended")
        return data
