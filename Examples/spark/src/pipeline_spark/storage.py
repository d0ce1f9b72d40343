"""Files and folders in any file system that Hadoop can reach: a disk, HDFS, an object store."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession


class StorageError(OSError):
    """Raised if a file system cannot read or write a folder. The message names the folder and the reason."""


class Storage:
    """A folder that a job reads from or writes to. All methods raise StorageError if the file system fails."""

    def __init__(self, spark: SparkSession, folder: str) -> None:
        self.folder = folder.rstrip("/") or "/"
        self._hadoop: Any = spark.sparkContext._jvm.org.apache.hadoop  # type: ignore[union-attr]
        self._path = self._hadoop.fs.Path
        self._spark = spark
        with self.errors():
            self._files = self._path(self.folder).getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())

    @property
    def is_disk(self) -> bool:
        """Whether the folder is on a disk. A path without a scheme can also be in the cluster's default file system."""
        return str(self._files.getUri().getScheme()) == "file"

    @property
    def address(self) -> str:
        """The folder with the scheme and the host of its file system."""
        with self.errors():
            return str(self._files.makeQualified(self._path(self.folder)).toString())

    def count_files(self) -> int:
        """Returns how many files the folder and its subfolders contain, including those that Spark does not show."""
        with self.errors():
            return int(self._files.getContentSummary(self._path(self.folder)).getFileCount())

    def has(self, name: str) -> bool:
        """Returns whether a file or folder with this name exists in the folder."""
        with self.errors():
            return bool(self._files.exists(self._path(f"{self.folder}/{name}")))

    def names(self) -> list[str]:
        """Returns the names in the folder; none if the folder does not exist."""
        with self.errors():
            if not self._files.exists(self._path(self.folder)):
                return []
            return sorted(str(status.getPath().getName()) for status in self._files.listStatus(self._path(self.folder)))

    def write(self, name: str, text: str) -> None:
        """Writes a small text, completely or not at all."""
        table = self._spark.createDataFrame([(text,)], "value string").coalesce(1)
        with self.errors():
            table.write.mode("overwrite").text(f"{self.folder}/{name}")

    def read(self, name: str) -> str | None:
        """Reads a text that ``write`` wrote. Returns None if it does not exist or was not written completely."""
        if not self.has(f"{name}/_SUCCESS"):
            return None
        with self.errors():
            rows = self._spark.read.text(f"{self.folder}/{name}").collect()
        return "\n".join(row["value"] for row in rows)

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turns errors of Java and Spark into StorageError."""
        try:
            yield
        except (PySparkException, Py4JError) as error:
            text = reason(error)
            if "S3AFileSystem" in text:
                version = self._hadoop.util.VersionInfo.getVersion()
                text = f"s3a: needs the package org.apache.hadoop:hadoop-aws:{version}, which Spark does not have"
            raise StorageError(f"{self.folder}: {text}") from error


# Classes of Java whose errors have messages that are clear without the name of the class.
_CLEAR = re.compile(r"(?:[\w.]*RemoteException\()?(?:java\.io|java\.net|org\.apache\.hadoop)\.[\w.$]+\)?: (?!null$)(.+)")


def reason(error: Exception) -> str:
    """Returns why something failed, in one line. Spark's own messages contain the stacks of Java and of Python processes."""
    text = str(error)
    if isinstance(error, Py4JJavaError):
        cause = error.java_exception
        while cause.getCause() is not None:
            cause = cause.getCause()
        text = cause.toString()
    lines = [line for line in text.splitlines() if line.strip()] or [type(error).__name__]
    # The last line of a Python stack is the error.
    line = lines[-1 if any(line.startswith("Traceback") for line in lines) else 0].strip()
    if line.startswith("java.net.UnknownHostException: "):
        name = line.split(": ", 1)[1]
        return "the address has no host" if name == "null" else f"the host {name} is unknown"
    clear = _CLEAR.fullmatch(line)
    return clear[1] if clear else line
