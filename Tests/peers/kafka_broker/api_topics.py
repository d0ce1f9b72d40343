"""Topics and their messages: Metadata, CreateTopics, Produce, Fetch, ListOffsets."""

import asyncio

from . import errors
from .api import api, write_by_topic
from .cluster import PARTITIONS_OF_NEW_TOPICS

LATEST, EARLIEST = -1, -2
LARGEST_ANSWER = 50 << 20


@api(3, 1, 5)
async def metadata(cluster, request):
    read, write = request.reader, request.answer()
    names = read.array(read.string)
    create = request.version < 4 or read.i8()
    if names is None:
        names = list(cluster.topics)
    for name in names:
        if create and name not in cluster.topics and name not in cluster.refused:
            cluster.create(name, PARTITIONS_OF_NEW_TOPICS)
    live = [broker for broker in cluster.brokers.values() if broker.up]
    if request.version >= 3:
        write.i32(0)
    write.array(live, lambda broker: write.i32(broker.number).string("127.0.0.1").i32(broker.port).string(None))
    if request.version >= 2:
        write.string("tests")
    write.i32(live[0].number if live else -1)

    def partition(item):
        number, leader = item[0], cluster.brokers[item[1].leader]
        write.i16(errors.NONE if leader.up else errors.LEADER_NOT_AVAILABLE).i32(number)
        write.i32(leader.number if leader.up else -1)
        for each in ([leader.number], [leader.number] if leader.up else []):
            write.array(each, write.i32)
        if request.version >= 5:
            write.array([] if leader.up else [leader.number], write.i32)

    def topic(name):
        partitions = cluster.topics.get(name)
        error = request.forced or cluster.refused.get(name, errors.NONE)
        if not error and partitions is None:
            error = errors.UNKNOWN_TOPIC_OR_PARTITION
        write.i16(error).string(name).i8(0).array([] if error else list(enumerate(partitions)), partition)

    return write.array(names, topic)


@api(19, 0, 4)
async def create_topics(cluster, request):
    read, write = request.reader, request.answer()

    def topic():
        name, count, _ = read.string(), read.i32(), read.i16()
        read.array(lambda: (read.i32(), read.array(read.i32)))
        read.array(lambda: (read.string(), read.string()))
        return name, PARTITIONS_OF_NEW_TOPICS if count == -1 else count

    topics, _ = read.array(topic), read.i32()
    only_check = request.version >= 1 and read.i8()
    if request.version >= 2:
        write.i32(0)

    def created(item):
        name, count = item
        error = request.forced or cluster.refused.get(name, errors.NONE)
        if not error and not name:
            error = errors.INVALID_TOPIC
        elif not error and name in cluster.topics:
            error = errors.TOPIC_ALREADY_EXISTS
        elif not error and count < 1:
            error = errors.INVALID_PARTITIONS
        elif not error and not only_check:
            cluster.create(name, count)
        write.string(name).i16(error)
        if request.version >= 1:
            write.string(None)

    return write.array(topics, created)


@api(0, 3, 7)
async def produce(cluster, request):
    read, write = request.reader, request.answer()
    _, acknowledge, _ = read.string(), read.i16(), read.i32()
    topics = request.by_topic(lambda: (read.i32(), read.bytes() or b""))

    def partition(topic, item):
        index, batch = item
        error, log = cluster.led(request.broker, topic, index)
        error, offset = request.forced or error, -1
        if not error:
            def verify(producer, epoch):
                return cluster.transactions.verify(producer, epoch, (topic, index))
            error, offset = log.append(batch, verify, cluster.size_limit)
        write.i32(index).i16(error).i64(offset).i64(-1)
        if request.version >= 5:
            write.i64(-1 if error else 0)

    write_by_topic(write, topics, partition).i32(0)
    return write if acknowledge else None


@api(1, 4, 11)
async def fetch(cluster, request):
    read, version = request.reader, request.version
    _, wait, least, most, committed = read.i32(), read.i32(), read.i32(), read.i32(), read.i8() == 1
    if version >= 7:
        read.i32(), read.i32()

    def partition():
        index, _ = read.i32(), version >= 9 and read.i32()
        offset, _ = read.i64(), version >= 5 and read.i64()
        return index, offset, read.i32()

    topics = request.by_topic(partition)
    loop = asyncio.get_running_loop()
    until = loop.time() + wait / 1000
    while True:
        found, size, failed = _look(cluster, request, topics, min(most, LARGEST_ANSWER), committed)
        left = until - loop.time()
        if size >= least or failed or left <= 0:
            return _fetched(request, found, failed)
        waiter = loop.create_future()
        logs = [log for _, partitions in found for _, _, log, _, _ in partitions]
        for log in logs:
            log.waiters.add(waiter)
        await asyncio.wait([waiter], timeout=left)
        for log in logs:
            log.waiters.discard(waiter)


def _look(cluster, request, topics, most, committed):
    """Returns what a fetch request can get now, [(topic, [(index, error, partition, batches, aborted)])], its size, and an error
    if there is one."""
    found, size, failed = [], 0, bool(request.forced)
    for topic, partitions in topics:
        found.append((topic, []))
        for index, offset, limit in partitions:
            error, log = cluster.led(request.broker, topic, index)
            batches, aborted = b"", None
            if not error and not 0 <= offset <= log.end:
                error = errors.OFFSET_OUT_OF_RANGE
            elif not error and (size < most or not size):
                batches, aborted = log.fetch(offset, min(limit, most - size), committed)
            size += len(batches)
            failed = failed or error
            found[-1][1].append((index, error, log, batches, aborted))
    return found, size, failed


def _fetched(request, found, failed):
    write, version = request.answer(), request.version
    write.i32(0)
    if version >= 7:
        write.i16(request.forced).i32(0)

    def partition(_, item):
        index, error, log, batches, aborted = item
        error = request.forced or error
        write.i32(index).i16(error).i64(-1 if error else log.end).i64(-1 if error else log.stable)
        if version >= 5:
            write.i64(-1 if error else 0)
        write.array(aborted, lambda each: write.i64(each[0]).i64(each[1]))
        if version >= 11:
            write.i32(-1)
        write.bytes(b"" if error else batches)

    return write_by_topic(write, found, partition)


@api(2, 1, 2)
async def list_offsets(cluster, request):
    read, write = request.reader, request.answer()
    read.i32()
    committed = request.version >= 2 and read.i8() == 1
    topics = request.by_topic(lambda: (read.i32(), read.i64()))
    if request.version >= 2:
        write.i32(0)

    def partition(topic, item):
        index, time = item
        error, log = cluster.led(request.broker, topic, index)
        error = request.forced or error
        stamp = offset = -1
        if not error and time == LATEST:
            offset = log.limit(committed)
        elif not error and time == EARLIEST:
            offset = 0
        elif not error:
            stamp, offset = log.at_time(time)
            if offset >= log.limit(committed):
                stamp = offset = -1
        write.i32(index).i16(error).i64(stamp).i64(offset)

    return write_by_topic(write, topics, partition)
