"""Checks the broker `kafka_broker` with the client confluent-kafka, and prints how many checks passed.

    kafka_broker_check.py [WORD …]     all checks, or those that have one of the words in their names
"""

import os
import random
import sys
import time
import traceback

from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

import kafka_group_check
from kafka_members import child, kill
from kafka_tools import Cluster, Raw, error_of, eventually, send, settings

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


# Writing and reading


@check
def messages_arrive_as_they_were_sent(cluster):
    admin = AdminClient(settings(cluster.addresses, {}))
    admin.create_topics([NewTopic("plain", 3, 1)])["plain"].result(10)
    sent = []
    for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
        producer = cluster.producer(compression_type=codec)
        for number in range(200):
            key, value = f"key {number % 7}".encode(), f"{codec} {number} {'x' * 50}".encode()
            headers = [("codec", codec.encode()), ("empty", b""), ("none", None)]
            producer.produce("plain", key=key, value=value, headers=headers)
            sent.append((key, value, headers))
        assert producer.flush(20) == 0
    consumer, read = cluster.consumer("plain"), []
    consumer.subscribe(["plain"])
    eventually(lambda: read.extend(consumer.consume(1000, 0.2)) or len(read) >= 1000, "all messages")
    read = [(message.key(), message.value(), message.headers()) for message in read]
    for key in {key for key, _, _ in sent}:
        assert [each for each in read if each[0] == key] == [each for each in sent if each[0] == key], key
    consumer.close()


@check
def a_repeated_request_is_stored_once(cluster):
    cluster.topic("repeated", 1)
    producer = cluster.producer(enable_idempotence=True)
    send(producer, "repeated", ["first"])
    cluster("lose 0 4")
    cluster("errors 0 2 6")
    send(producer, "repeated", [str(number) for number in range(2000)])
    assert cluster.values("repeated") == ["first"] + [str(number) for number in range(2000)]
    assert cluster("end repeated 0") == "2001"


@check
def sequences_and_epochs_are_checked(cluster):
    cluster.topic("sequences", 1)
    raw = Raw(cluster.addresses)

    def begin(name):
        read = raw(22, 1, lambda writer: writer.string(name).i32(60000))
        read.i32()
        assert read.i16() == 0
        return read.i64(), read.i16()

    assert cluster("coordinator transaction raw 1") == "ok"
    producer, epoch = begin(None)
    assert raw.produce("sequences", producer, epoch, 0, 3) == (0, 0)
    assert raw.produce("sequences", producer, epoch, 3, 2) == (0, 3)
    assert raw.produce("sequences", producer, epoch, 0, 3) == (0, 0), "a repetition gets its old offset"
    assert raw.produce("sequences", producer, epoch, 6)[0] == 45, "a gap"
    assert raw.produce("sequences", producer, epoch, 1)[0] == 46, "already there, and not the same batch"
    assert cluster("end sequences 0") == "5"
    producer, epoch = begin("raw")
    assert raw.produce("sequences", producer, epoch, 0, transactional="raw")[0] == 48, "the partition was not added"

    def add(writer):
        writer.string("raw").i64(producer).i16(epoch)
        writer.array([0], lambda _: writer.string("sequences").array([0], writer.i32))

    raw(24, 0, add)
    assert raw.produce("sequences", producer, epoch, 0, transactional="raw") == (0, 5)
    assert begin("raw") == (producer, epoch + 1)
    assert raw.produce("sequences", producer, epoch, 1, transactional="raw")[0] == 47, "an older epoch is fenced"
    assert cluster("end sequences 0") == cluster("stable sequences 0") == "7", "the marker comes after the message"


# Transactions


@check
def only_committed_messages_are_read(cluster):
    cluster.topic("mixed", 2)
    generator, expected, everything, producers = random.Random(5), set(), set(), []
    for number in range(3):
        producers.append(cluster.transactional(f"mixed {number}"))
    for turn in range(20):
        outcomes = [generator.random() < 0.5 for _ in producers]
        for producer in producers:
            producer.begin_transaction()
        for part in range(3):
            for number, producer in enumerate(producers):
                value = f"{number}/{turn}/{part}"
                send(producer, "mixed", [value], partition=generator.randrange(2))
                everything.add(value)
                if outcomes[number]:
                    expected.add(value)
        for producer, outcome in zip(producers, outcomes):
            producer.commit_transaction(20) if outcome else producer.abort_transaction(20)
    committed, uncommitted = cluster.values("mixed"), cluster.values("mixed", "read_uncommitted")
    assert len(committed) == len(expected) and set(committed) == expected, "not what was committed"
    assert len(uncommitted) == len(everything) and set(uncommitted) == everything, "not all that was written"


@check
def an_open_transaction_holds_back_what_follows(cluster):
    cluster.topic("held", 1)
    producer, plain = cluster.transactional("held"), cluster.producer()
    send(plain, "held", ["before"])
    producer.begin_transaction()
    send(producer, "held", ["open"])
    send(plain, "held", ["after"])
    assert cluster.values("held") == ["before"]
    assert (cluster("stable held 0"), cluster("end held 0")) == ("1", "3")
    consumer = cluster.consumer("held")
    assert consumer.get_watermark_offsets(TopicPartition("held", 0), 10) == (0, 1)
    consumer.close()
    producer.abort_transaction(20)
    assert cluster.values("held") == ["before", "after"]
    assert (cluster("stable held 0"), cluster("end held 0")) == ("4", "4")


@check
def offsets_move_with_their_transaction(cluster):
    cluster.topic("moved", 1)
    cluster("coordinator group movers 1")
    producer, consumer, raw = cluster.transactional("movers"), cluster.consumer("movers"), Raw(cluster.addresses)
    group = consumer.consumer_group_metadata()

    def transaction(offset, metadata):
        producer.begin_transaction()
        send(producer, "moved", [metadata])
        producer.send_offsets_to_transaction([TopicPartition("moved", 0, offset, metadata)], group, 20)

    transaction(5, "five")
    assert cluster("committed movers moved 0") == "none"
    assert raw.committed("movers", "moved", stable=False) == (0, -1)
    assert raw.committed("movers", "moved", stable=True) == (88, -1), "unstable"
    producer.commit_transaction(20)
    # The Python library also sends the zero byte at the end of the metadata.
    assert cluster("committed movers moved 0") == r"5 five\0"
    assert raw.committed("movers", "moved", stable=True) == (0, 5)
    transaction(9, "nine")
    assert raw.committed("movers", "moved", stable=False) == (0, 5)
    producer.abort_transaction(20)
    assert cluster("committed movers moved 0") == r"5 five\0"
    found, = consumer.committed([TopicPartition("moved", 0)], 10)
    assert (found.offset, found.metadata) == (5, "five")
    consumer.close()


@check
def a_killed_producer_leaves_nothing(cluster):
    cluster.topic("killed", 1)
    for name, timeout in (("restarted", 60000), ("timed", 1000)):
        process = child("producer", cluster.addresses, name, str(timeout), "killed")
        assert process.stdout.readline() == "open\n"
        kill(process)
        if name == "restarted":
            assert cluster("stable killed 0") != cluster("end killed 0")
            producer = cluster.transactional(name)
            producer.begin_transaction()
            send(producer, "killed", ["kept"])
            producer.commit_transaction(20)
        eventually(lambda: cluster("stable killed 0") == cluster("end killed 0"), "the end of the transaction")
    assert cluster.values("killed") == ["kept"]
    assert len(cluster.values("killed", "read_uncommitted")) == 21


@check
def a_second_producer_fences_the_first(cluster):
    cluster.topic("fenced", 1)
    first = cluster.transactional("fenced")
    first.begin_transaction()
    send(first, "fenced", ["of the first"])
    second = cluster.transactional("fenced")
    second.begin_transaction()
    send(second, "fenced", ["of the second"])
    error = error_of(lambda: first.commit_transaction(20))
    assert error.name() == "_FENCED" and error.fatal(), error
    second.commit_transaction(20)
    assert cluster.values("fenced") == ["of the second"]


@check
def a_transaction_that_takes_too_long_is_refused(cluster):
    cluster.topic("slow", 1)
    producer = cluster.transactional("slow", transaction_timeout_ms=1000)
    producer.begin_transaction()
    send(producer, "slow", ["slow"])
    eventually(lambda: cluster("stable slow 0") == "2", "the end of the transaction")
    error = error_of(lambda: producer.commit_transaction(20))
    assert error.fatal() or error.txn_requires_abort(), error
    assert cluster.values("slow") == []


@check
def a_request_whose_answer_is_lost_takes_effect_once(cluster):
    cluster.topic("lost", 1)
    producer = cluster.transactional("lost")
    for turn in range(4):
        producer.begin_transaction()
        send(producer, "lost", [str(turn)])
        cluster(f"lose {(26, 24, 28, 0)[turn]} 1")
        producer.commit_transaction(20) if turn != 1 else producer.abort_transaction(20)
    assert cluster.values("lost") == ["0", "2", "3"]


@check
def a_million_messages_take_little_time(cluster):
    cluster.topic("many", 4)
    before, producer = used(cluster), cluster.producer(**{"queue.buffering.max.messages": 1000000, "linger.ms": 20})
    for _ in range(1000000):
        producer.produce("many", b"x" * 100)
    assert producer.flush(60) == 0
    consumer, count = cluster.consumer("many"), 0
    consumer.subscribe(["many"])
    until = time.monotonic() + 60
    while count < 1000000 and time.monotonic() < until:
        count += len(consumer.consume(10000, 0.2))
    consumer.close()
    assert count == 1000000
    print(f"    the broker used {used(cluster) - before:.1f} s for a million messages written and read", flush=True)


def used(cluster):
    """Returns the processor time of the brokers so far, in seconds."""
    fields = open(f"/proc/{cluster.process.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(words):
    passed, failed = 0, 0
    for function in CHECKS + kafka_group_check.CHECKS:
        name = function.__name__.replace("_", " ")
        if words and not any(word in name for word in words):
            continue
        cluster = Cluster()
        begin = time.monotonic()
        try:
            function(cluster)
            assert cluster.close() == 0, "the broker did not end with 0"
            passed += 1
            print(f"passed  {name} ({time.monotonic() - begin:.1f} s)", flush=True)
        except BaseException:
            failed += 1
            print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
            cluster.process.kill()
    print(f"{passed} passed, {failed} failed", flush=True)
    # Threads of a check that failed may still wait for the broker.
    os._exit(1 if failed else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
