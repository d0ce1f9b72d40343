"""Runs a pipeline of points over archives of recordings on Apache Spark.

``recognize(df, config)`` is for programs, ``python -m pipeline_spark`` for folders and object stores.
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
