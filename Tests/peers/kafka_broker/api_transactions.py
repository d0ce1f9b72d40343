"""Transactions: InitProducerId, AddPartitionsToTxn, AddOffsetsToTxn, TxnOffsetCommit, EndTxn."""

from . import errors
from .api import api, write_by_topic
from .api_groups import store
from .cluster import GROUP, TRANSACTION
from .log import ABORT, COMMIT


@api(22, 0, 4, flexible=2)
async def init_producer_id(cluster, request):
    read, write, version = request.reader, request.answer(), request.version
    name, timeout = read.string(), read.i32() / 1000
    producer, epoch = (read.i64(), read.i16()) if version >= 3 else (-1, -1)
    error = request.forced if name is None else cluster.coordinated(request, TRANSACTION, name)
    producer, epoch = (producer, epoch) if not error else (-1, -1)
    if not error:
        error, producer, epoch = cluster.transactions.begin_producer(name, timeout, producer, epoch)
    if error == errors.PRODUCER_FENCED and version < 4:
        error = errors.INVALID_PRODUCER_EPOCH
    return write.i32(0).i16(error).i64(producer).i16(epoch).end()


@api(24, 0, 1)
async def add_partitions(cluster, request):
    read, write = request.reader, request.answer()
    name, producer, epoch = read.string(), read.i64(), read.i16()
    topics = request.by_topic(read.i32)
    error = cluster.coordinated(request, TRANSACTION, name)
    wrong = {(topic, index): cluster.partition(topic, index)[0] for topic, indexes in topics for index in indexes}
    if not error and any(wrong.values()):
        wrong = {each: code or errors.OPERATION_NOT_ATTEMPTED for each, code in wrong.items()}
    else:
        error = error or cluster.transactions.add(name, producer, epoch, partitions=wrong)
        wrong = dict.fromkeys(wrong, error)
    write.i32(0)
    return write_by_topic(write, topics, lambda topic, index: write.i32(index).i16(wrong[topic, index]))


@api(25, 0, 1)
async def add_offsets(cluster, request):
    read, write = request.reader, request.answer()
    name, producer, epoch, group = read.string(), read.i64(), read.i16(), read.string()
    error = cluster.coordinated(request, TRANSACTION, name)
    error = error or cluster.transactions.add(name, producer, epoch, groups=[group])
    return write.i32(0).i16(error)


@api(28, 0, 3, flexible=3)
async def commit_offsets(cluster, request):
    read, write, version = request.reader, request.answer(), request.version
    name, group_name, producer, epoch = read.string(), read.string(), read.i64(), read.i16()
    generation, member, _ = (read.i32(), read.string(), read.string()) if version >= 3 else (-1, "", None)

    def partition():
        index, offset, _ = read.i32(), read.i64(), version >= 2 and read.i32()
        return read.end((index, offset, read.string()))

    topics = request.by_topic(partition)
    group = cluster.group(group_name)
    error = cluster.coordinated(request, GROUP, group_name)
    error = error or cluster.transactions.verify_group(name, producer, epoch, group_name)
    error = error or group.transaction_error(member, generation)
    offsets = {}
    results = store(cluster, topics, error, offsets)
    if offsets:
        group.pending.setdefault(producer, {}).update(offsets)
    write.i32(0)
    return write_by_topic(write, results, lambda _, item: write.i32(item[0]).i16(item[1])).end()


@api(26, 0, 1)
async def end_transaction(cluster, request):
    read, write = request.reader, request.answer()
    name, producer, epoch, commit = read.string(), read.i64(), read.i16(), read.i8()
    error = cluster.coordinated(request, TRANSACTION, name)
    error = error or cluster.transactions.end(name, producer, epoch, COMMIT if commit else ABORT)
    return write.i32(0).i16(error)
