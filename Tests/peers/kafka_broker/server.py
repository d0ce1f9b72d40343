"""The connections. The requests of each are read, handled one after another, and answered in the same order."""

import asyncio
import random
import struct
import sys

from . import api_groups, api_topics, api_transactions, errors  # noqa: F401: they register their requests
from .api import APIS, Request
from .wire import Reader

LARGEST_REQUEST = 200 << 20
VERSIONS = 18
TICK = 0.02
PORTS = (20000, 32000)


class Lost(Exception):
    """Raised to close a connection without an answer."""


async def handle(cluster, broker, frame):
    """Carries out a request. Returns the answer, or None if the request has no answer."""
    head = Reader(frame)
    key, version, number, client = head.i16(), head.i16(), head.i32(), head.string()
    api = APIS.get(key)
    if not api or key != VERSIONS and not api.first <= version <= api.last:
        raise ValueError(f"request {key} of version {version} is not known")
    if key == VERSIONS:
        flexible = 3 <= version <= api.last
    else:
        flexible = version >= api.flexible
    read = Reader(frame, head.at, flexible)
    read.end()
    forced = cluster.forced_error(key)
    if forced == errors.TRANSPORT:
        raise Lost
    answer = await api.handler(cluster, Request(version, client or "", read, broker, forced))
    if cluster.is_lost(key):
        raise Lost
    if answer is None:
        return None
    tags = b"\0" if flexible and key != VERSIONS else b""
    return struct.pack(">ii", len(answer.data) + 4 + len(tags), number) + tags, answer.data


async def serve(cluster, broker, reader, writer):
    """Serves a connection until either side closes it."""
    loop = asyncio.get_running_loop()
    broker.connections.add(asyncio.current_task())
    due = 0.0

    def send(parts):
        if not writer.is_closing():
            writer.writelines(parts)

    try:
        while True:
            size, = struct.unpack(">i", await reader.readexactly(4))
            if not 0 < size <= LARGEST_REQUEST:
                raise ValueError(f"a request of {size} bytes")
            parts = await handle(cluster, broker, await reader.readexactly(size))
            if not parts:
                continue
            if broker.delay or due > loop.time():
                # Later requests are handled meanwhile, as over a slow network. The answers stay in order.
                due = max(loop.time() + broker.delay, due + 1e-6)
                loop.call_at(due, send, parts)
            else:
                send(parts)
                await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError, Lost):
        pass
    except (ValueError, struct.error) as error:
        print(f"broker {broker.number}: {error}", file=sys.stderr, flush=True)
    finally:
        broker.connections.discard(asyncio.current_task())
        writer.transport.abort()


async def start(cluster, broker):
    """Starts to listen, on the same port as before if the broker has listened already."""
    async def connected(reader, writer):
        try:
            await serve(cluster, broker, reader, writer)
        except asyncio.CancelledError:
            pass  # the broker goes down

    for attempt in range(100):
        # Not one of the system's ephemeral ports: while the broker is down, no other program may get its port.
        port = broker.port or random.randrange(*PORTS)
        try:
            broker.server = await asyncio.start_server(connected, "127.0.0.1", port, limit=1 << 20)
            break
        except OSError:
            if broker.port or attempt == 99:
                raise
    broker.port, broker.up = port, True


async def stop(broker):
    """Stops listening and breaks all connections."""
    broker.up = False
    broker.server.close()
    tasks = list(broker.connections)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def watch(cluster):
    """Ends sessions, rebalances and transactions that last too long."""
    while True:
        await asyncio.sleep(TICK)
        cluster.tick()
