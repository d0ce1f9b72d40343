"""The requests that this broker answers, and in which versions."""

from collections import namedtuple

from . import errors
from .wire import Writer

# Versions from `first` to `last` are answered. Versions from `flexible` on have the newer encoding (see `wire`).
Api = namedtuple("Api", "first last flexible handler")
APIS = {}
NEVER = 1 << 15


def api(key, first, last, flexible=NEVER):
    """Registers the handler of a request: a coroutine that takes the cluster and the request, and returns the answer."""
    def register(handler):
        APIS[key] = Api(first, last, flexible, handler)
        return handler
    return register


class Request:
    """A request. `forced` is the error to answer it with, if a command has set one."""

    def __init__(self, version, client, reader, broker, forced):
        self.version, self.client, self.reader, self.broker, self.forced = version, client, reader, broker, forced

    def answer(self):
        return Writer(self.reader.flexible)

    def by_topic(self, partition):
        """Reads topics with partitions as [(topic, [partition, …])]. `partition()` reads each partition.

        Returns None for a null array.
        """
        read = self.reader
        return read.array(lambda: read.end((read.string(), read.array(partition))))


def write_by_topic(writer, topics, partition):
    """Writes [(topic, [partition, …])]. `partition(topic, partition)` writes each partition."""
    def topic(item):
        writer.string(item[0]).array(item[1], lambda each: (partition(item[0], each), writer.end())).end()
    return writer.array(topics, topic)


@api(18, 0, 3)
async def api_versions(cluster, request):
    # This answer has the old header in all versions, because the client does not know yet which versions the broker has.
    version = request.version if request.version <= 3 else 0
    writer = Writer(version >= 3)
    writer.i16(request.forced or (errors.UNSUPPORTED_VERSION if request.version > 3 else errors.NONE))
    known = sorted(APIS.items())
    writer.array(known, lambda item: writer.i16(item[0]).i16(item[1].first).i16(item[1].last).end())
    if version >= 1:
        writer.i32(0)
    return writer.end()
