"""Runs a pipeline of points over archives of recordings on Apache Spark.

Programs call ``recognize(df, config)`` on a DataFrame. ``python -m pipeline_spark`` processes a folder or an object store.
"""

from .configuration import Configuration, ConfigurationError
from .ledger import Ledger
from .recognition import recognize, sessions
from .schema import RECOGNIZE_SCHEMA, SESSIONS_SCHEMA

__all__ = [
    "Configuration",
    "ConfigurationError",
    "Ledger",
    "RECOGNIZE_SCHEMA",
    "SESSIONS_SCHEMA",
    "recognize",
    "sessions",
]
