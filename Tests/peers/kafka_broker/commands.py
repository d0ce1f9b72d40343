"""The commands on standard input, one per line. Each is answered with a line: "ok", the requested value, or what is wrong.

    topic NAME PARTITIONS              creates a topic
    leader NAME PARTITION BROKER       moves a partition to another broker
    coordinator KIND NAME BROKER       moves a group ("group") or a transactional id ("transaction") to another broker
    down BROKER, up BROKER             makes a broker unreachable, and reachable again
    rtt BROKER MILLISECONDS            delays the answers of a broker
    errors KEY COUNT CODE              answers the next COUNT requests with the API key KEY with the error CODE, and does nothing
                                       else; -195 closes the connection instead
    lose KEY COUNT                     carries out the next COUNT requests with KEY, and closes the connection without an answer
    refuse NAME CODE                   answers all requests for a topic with the error CODE; 0 for none
    limit BYTES                        refuses larger batches; 0 for none
    committed GROUP TOPIC PARTITION    the offset that a group has committed, and its metadata, or "none"
    group NAME                         the state of a group, its generation, and how many members it has
    end TOPIC PARTITION                the offset after the last message
    stable TOPIC PARTITION             the offset up to which all transactions have ended
"""

from . import server
from .cluster import GROUP, TRANSACTION


async def topic(cluster, name, count):
    if name in cluster.topics:
        raise ValueError("the topic exists")
    if int(count) < 1:
        raise ValueError("a topic has at least one partition")
    cluster.create(name, int(count))


async def leader(cluster, name, index, broker):
    partition, broker = _partition(cluster, name, index), _broker(cluster, broker)
    partition.leader = broker.number
    partition.wake()


async def coordinator(cluster, kind, name, broker):
    broker = _broker(cluster, broker)
    cluster.coordinators[{"group": GROUP, "transaction": TRANSACTION}[kind], name] = broker.number
    cluster.resume(broker)


async def down(cluster, broker):
    broker = _broker(cluster, broker)
    if broker.up:
        await server.stop(broker)


async def up(cluster, broker):
    broker = _broker(cluster, broker)
    if not broker.up:
        await server.start(cluster, broker)
        cluster.resume(broker)


async def rtt(cluster, broker, milliseconds):
    _broker(cluster, broker).delay = max(0, int(milliseconds)) / 1000


async def force(cluster, key, count, code):
    cluster.force(int(key), [int(code)] * min(int(count), 10000))


async def lose(cluster, key, count):
    cluster.lost[int(key)] = cluster.lost.get(int(key), 0) + int(count)


async def refuse(cluster, name, code):
    cluster.refused.pop(name, None)
    if int(code):
        cluster.refused[name] = int(code)
    for partition in cluster.topics.get(name, ()):
        partition.wake()


async def limit(cluster, size):
    cluster.size_limit = int(size) or None


async def committed(cluster, group, name, index):
    found = cluster.group(group).committed((name, int(index)))
    if found.offset < 0:
        return "none"
    metadata = found.metadata.translate({ord("\\"): "\\\\", ord("\n"): "\\n", ord("\r"): "\\r", 0: "\\0"})
    return f"{found.offset} {metadata}".rstrip(" ")


async def group(cluster, name):
    found = cluster.group(name)
    return f"{found.state} {found.generation} {len(found.members)}"


async def end(cluster, name, index):
    return str(_partition(cluster, name, index).end)


async def stable(cluster, name, index):
    return str(_partition(cluster, name, index).stable)


def _partition(cluster, name, index):
    partitions = cluster.topics.get(name, [])
    if not 0 <= int(index) < len(partitions):
        raise ValueError("no such partition")
    return partitions[int(index)]


def _broker(cluster, number):
    if int(number) not in cluster.brokers:
        raise ValueError("no such broker")
    return cluster.brokers[int(number)]


COMMANDS = {
    each.__name__: each
    for each in (topic, leader, coordinator, down, up, rtt, lose, refuse, limit, committed, group, end, stable)
} | {"errors": force}


async def carry_out(cluster, line):
    name, *words = line.split() or [""]
    command = COMMANDS.get(name)
    if not command:
        return "unknown command"
    try:
        return await command(cluster, *words) or "ok"
    except TypeError:
        return "wrong number of words"
    except (ValueError, KeyError, OSError) as error:
        return f"wrong: {error}"
