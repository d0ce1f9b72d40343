"""A cluster of processes on this machine, for tests and measurements. Everything listens on loopback only."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from types import TracebackType

import pyspark
from pyspark.sql import SparkSession

HOST = "127.0.0.1"


def local_options() -> dict[str, str]:
    """Returns properties that keep a session on loopback."""
    return {
        "spark.driver.host": HOST,
        "spark.driver.bindAddress": HOST,
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
    }


# On an executor with one core, a parallel garbage collector is useless, and the optimizing compiler takes minutes to pay off.
EXECUTOR_OPTIONS = {
    "spark.executor.memory": "512m",
    "spark.executor.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
}


class Cluster:
    """A standalone master and workers of one core each, as separate processes."""

    def __init__(self, workers: int = 2, environment: Mapping[str, str] | None = None) -> None:
        self._folder = tempfile.mkdtemp(prefix="pipeline-spark-cluster-")
        self._environment = {
            **os.environ,
            "SPARK_LOCAL_IP": HOST,
            "SPARK_NO_DAEMONIZE": "1",
            "SPARK_HOME": os.path.dirname(pyspark.__file__),
            "SPARK_DAEMON_MEMORY": "256m",
            "PYSPARK_PYTHON": sys.executable,
            **(environment or {}),
        }
        with socket.socket() as probe:
            probe.bind((HOST, 0))
            self.port: int = probe.getsockname()[1]
        self.master = f"spark://{HOST}:{self.port}"
        self._processes: list[subprocess.Popen[bytes]] = []
        self._count = workers

    def __enter__(self) -> "Cluster":
        self._start("master.Master", "--host", HOST, "--port", str(self.port), "--webui-port", "0")
        self._wait_for("I have been elected leader", 0)
        for number in range(self._count):
            work = os.path.join(self._folder, f"work-{number}")
            self._start(
                "worker.Worker", "--host", HOST, "--webui-port", "0", "--cores", "1", "--memory", "1g",
                "--work-dir", work, self.master,
            )
        for number in range(self._count):
            self._wait_for("Successfully registered with master", number + 1)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in reversed(self._processes):
            self._kill(process)
        shutil.rmtree(self._folder, ignore_errors=True)

    def kill_worker(self, number: int) -> None:
        """Kills a worker together with its executor, as if its machine lost power."""
        self._kill(self._processes[number + 1])

    def session(self, options: Mapping[str, str] | None = None) -> SparkSession:
        """Returns a session on the cluster. Set the environment variable SPARK_LOCAL_IP first; no option replaces it."""
        builder = SparkSession.builder.master(self.master).appName("pipeline")
        for key, value in {**local_options(), **EXECUTOR_OPTIONS, **(options or {})}.items():
            builder = builder.config(key, value)
        return builder.getOrCreate()

    def _start(self, name: str, *words: str) -> None:
        program = os.path.join(os.path.dirname(pyspark.__file__), "bin", "spark-class")
        with open(self._log(len(self._processes)), "wb") as log:
            # A new session makes a process group, which also contains the executor of a worker.
            self._processes.append(
                subprocess.Popen(
                    [program, f"org.apache.spark.deploy.{name}", *words],
                    env=self._environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
                )
            )

    def _log(self, number: int) -> str:
        return os.path.join(self._folder, f"log-{number}.txt")

    def _wait_for(self, text: str, number: int) -> None:
        for _ in range(600):
            with open(self._log(number), encoding="utf-8", errors="replace") as log:
                content = log.read()
            if text in content:
                return
            if self._processes[number].poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError(f"the cluster does not start:\n{content}")

    @staticmethod
    def _kill(process: "subprocess.Popen[bytes]") -> None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
