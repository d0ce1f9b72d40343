"""Consumer groups: FindCoordinator, JoinGroup, SyncGroup, Heartbeat, LeaveGroup, OffsetCommit, OffsetFetch."""

from . import errors
from .api import api, write_by_topic
from .cluster import GROUP, TRANSACTION
from .group import LARGEST_METADATA, Committed


@api(10, 0, 2)
async def find_coordinator(cluster, request):
    read, write = request.reader, request.answer()
    name, kind = read.string(), read.i8() if request.version >= 1 else GROUP
    broker = cluster.coordinator(TRANSACTION if kind else GROUP, name)
    error = request.forced or (errors.NONE if broker.up else errors.COORDINATOR_NOT_AVAILABLE)
    if request.version >= 1:
        write.i32(0)
    write.i16(error)
    if request.version >= 1:
        write.string(None)
    if error:
        return write.i32(-1).string("").i32(-1)
    return write.i32(broker.number).string("127.0.0.1").i32(broker.port)


@api(11, 0, 4)
async def join_group(cluster, request):
    read, write, version = request.reader, request.answer(), request.version
    name, session = read.string(), read.i32() / 1000
    rebalance = read.i32() / 1000 if version >= 1 else session
    member, kind = read.string(), read.string()
    protocols = dict(read.array(lambda: (read.string(), read.bytes())))
    group, error = cluster.group(name), cluster.coordinated(request, GROUP, name)
    if not error and not protocols:
        error = errors.INCONSISTENT_GROUP_PROTOCOL
    if error:
        joined = group.refused(error, member)
    else:
        joined = await group.join(member, request.client, session, rebalance, kind, protocols, reserve=version >= 4)
    if version >= 2:
        write.i32(0)
    write.i16(joined.error).i32(joined.generation).string(joined.protocol).string(joined.leader).string(joined.member)
    return write.array(joined.members, lambda item: write.string(item[0]).bytes(item[1]))


@api(14, 0, 2)
async def sync_group(cluster, request):
    read, write = request.reader, request.answer()
    name, generation, member = read.string(), read.i32(), read.string()
    assignments = dict(read.array(lambda: (read.string(), read.bytes())))
    error, assignment = cluster.coordinated(request, GROUP, name), b""
    if not error:
        error, assignment = await cluster.group(name).sync(member, generation, assignments)
    if request.version >= 1:
        write.i32(0)
    return write.i16(error).bytes(assignment)


@api(12, 0, 2)
async def heartbeat(cluster, request):
    read, write = request.reader, request.answer()
    name, generation, member = read.string(), read.i32(), read.string()
    error = cluster.coordinated(request, GROUP, name) or cluster.group(name).heartbeat(member, generation)
    if request.version >= 1:
        write.i32(0)
    return write.i16(error)


@api(13, 0, 1)
async def leave_group(cluster, request):
    read, write = request.reader, request.answer()
    name, member = read.string(), read.string()
    error = cluster.coordinated(request, GROUP, name) or cluster.group(name).leave(member)
    if request.version >= 1:
        write.i32(0)
    return write.i16(error)


def offset_error(cluster, topic, index, metadata):
    """Returns the error of a single offset. An error of the whole request is not considered."""
    if len((metadata or "").encode()) > LARGEST_METADATA:
        return errors.OFFSET_METADATA_TOO_LARGE
    return cluster.partition(topic, index)[0]


def store(cluster, topics, error, into):
    """Stores offsets, [(topic, [(index, offset, metadata)])], in a dictionary unless there is an error. Returns
    [(topic, [(index, error)])]."""
    results = []
    for topic, partitions in topics:
        results.append((topic, []))
        for index, offset, metadata in partitions:
            wrong = error or offset_error(cluster, topic, index, metadata)
            if not wrong:
                into[topic, index] = Committed(offset, metadata or "")
            results[-1][1].append((index, wrong))
    return results


@api(8, 2, 6)
async def offset_commit(cluster, request):
    read, write, version = request.reader, request.answer(), request.version
    name, generation, member = read.string(), read.i32(), read.string()
    if version <= 4:
        read.i64()

    def partition():
        index, offset, _ = read.i32(), read.i64(), version >= 6 and read.i32()
        return index, offset, read.string()

    topics = request.by_topic(partition)
    group = cluster.group(name)
    error = cluster.coordinated(request, GROUP, name) or group.commit_error(member, generation)
    if version >= 3:
        write.i32(0)
    results = store(cluster, topics, error, group.offsets)
    return write_by_topic(write, results, lambda _, item: write.i32(item[0]).i16(item[1]))


@api(9, 1, 7, flexible=6)
async def offset_fetch(cluster, request):
    read, write, version = request.reader, request.answer(), request.version
    name = read.string()
    topics = request.by_topic(read.i32)
    stable = version >= 7 and read.i8()
    group, error = cluster.group(name), cluster.coordinated(request, GROUP, name)
    if topics is None:
        by_topic = {}
        for topic, index in sorted(group.offsets):
            by_topic.setdefault(topic, []).append(index)
        topics = list(by_topic.items())
    if version >= 3:
        write.i32(0)

    def partition(topic, index):
        committed, wrong = group.committed((topic, index)), error
        if not wrong and stable and group.is_pending((topic, index)):
            wrong = errors.UNSTABLE_OFFSET_COMMIT
        write.i32(index).i64(-1 if wrong else committed.offset)
        if version >= 5:
            write.i32(-1)
        write.string("" if wrong else committed.metadata).i16(wrong)

    # Since version 2, an error of the whole request is reported without topics.
    write_by_topic(write, [] if error and version >= 2 else topics, partition)
    if version >= 2:
        write.i16(error)
    return write.end()
