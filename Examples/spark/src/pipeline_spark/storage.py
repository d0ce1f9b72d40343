"""Files and folders in any file system that Hadoop can reach: a disk, HDFS, an object store."""

from typing import Any

from pyspark.sql import SparkSession


class Storage:
    """The folder that a job writes to."""

    def __init__(self, spark: SparkSession, folder: str) -> None:
        self.folder = folder.rstrip("/")
        jvm: Any = spark.sparkContext._jvm
        self._path = jvm.org.apache.hadoop.fs.Path
        self._files = self._path(self.folder).getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
        self._spark = spark

    def has(self, name: str) -> bool:
        """Returns whether a file or folder with this name exists in the folder."""
        return bool(self._files.exists(self._path(f"{self.folder}/{name}")))

    def names(self) -> list[str]:
        """Returns the names in the folder; none if the folder does not exist."""
        if not self._files.exists(self._path(self.folder)):
            return []
        return sorted(str(status.getPath().getName()) for status in self._files.listStatus(self._path(self.folder)))

    def write(self, name: str, text: str) -> None:
        """Writes a small text, completely or not at all."""
        table = self._spark.createDataFrame([(text,)], "value string").coalesce(1)
        table.write.mode("overwrite").text(f"{self.folder}/{name}")

    def read(self, name: str) -> str | None:
        """Reads a text that ``write`` wrote. Returns None if it does not exist or was not written completely."""
        if not self.has(f"{name}/_SUCCESS"):
            return None
        rows = self._spark.read.text(f"{self.folder}/{name}").collect()
        return "\n".join(row["value"] for row in rows)
