"""The columns of the tables."""

import pyarrow as pa
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

# A row is a result of a recording, or the outcome of a recording.
SESSIONS_ARROW = pa.schema(
    [
        # The recording, as in the column `path` of the input.
        pa.field("path", pa.string()),
        # The number of the row within the recording: from 0, first the results in the pipeline's order, then the outcome.
        pa.field("position", pa.int32()),
        # The sink that received the result; null for the outcome of the recording.
        pa.field("sink", pa.string()),
        pa.field("kind", pa.string()),
        pa.field("stream", pa.string()),
        pa.field("seq", pa.int64()),
        # The timestamp in microseconds.
        pa.field("t_us", pa.int64()),
        # The frame as canonical JSON, byte for byte as `pipectl run` writes it.
        pa.field("result", pa.string()),
        # The code, message and location of the error of a bad recording.
        pa.field("code", pa.string()),
        pa.field("message", pa.string()),
        pa.field("location", pa.string()),
        # The number of results of the recording, and the report of its run as JSON, with the ledger.
        pa.field("rows", pa.int64()),
        pa.field("report", pa.string()),
    ]
)

# Lines of JSON, several in one value. `path`, and `position`, which is the number of the first line, are for sorting.
LINES_ARROW = pa.schema(
    [
        pa.field("path", pa.string()),
        pa.field("position", pa.int32()),
        pa.field("table", pa.string()),
        pa.field("value", pa.string()),
    ]
)

_TYPES = {pa.string(): StringType(), pa.int32(): IntegerType(), pa.int64(): LongType()}


def _spark(schema: pa.Schema) -> StructType:
    return StructType([StructField(field.name, _TYPES[field.type], True) for field in schema])


SESSIONS_SCHEMA: StructType = _spark(SESSIONS_ARROW)
"""The columns of ``sessions``."""

RECOGNIZE_SCHEMA: StructType = StructType([field for field in SESSIONS_SCHEMA if field.name not in ("rows", "report")])
"""The columns of ``recognize``."""

LINES_SCHEMA: StructType = _spark(LINES_ARROW)
"""The columns of ``lines``."""
