"""Tools for the checks of the broker: a cluster in its own process, requests in raw bytes, and clients of confluent-kafka."""

import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

from kafka_broker.log import HEADER, TRANSACTIONAL
from kafka_broker.wire import Reader, Writer

FOLDER = Path(__file__).resolve().parent


class Cluster:
    """A cluster of `kafka_broker`. A call of the object carries out a command."""

    def __init__(self, brokers=3):
        self.process = subprocess.Popen(
            [sys.executable, str(FOLDER / "kafka_broker"), str(brokers)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addresses = self.process.stdout.readline().strip()

    def __call__(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def topic(self, name, partitions):
        assert self(f"topic {name} {partitions}") == "ok"
        return name

    def close(self):
        self.process.stdin.close()
        return self.process.wait(10)

    def producer(self, **options):
        return Producer(settings(self.addresses, options))

    def transactional(self, name, **options):
        """Returns a producer that is ready to begin a transaction."""
        producer = self.producer(**{"transactional.id": name} | options)
        producer.init_transactions(20)
        return producer

    def consumer(self, group, **options):
        defaults = {
            "group.id": group, "auto.offset.reset": "earliest", "enable.auto.commit": False, "isolation.level": "read_committed",
            "session.timeout.ms": 1500, "heartbeat.interval.ms": 200, "fetch.wait.max.ms": 100,
        }
        return Consumer(settings(self.addresses, defaults | options))

    def read(self, topic, isolation="read_committed"):
        """Returns all messages that are in a topic now: for each partition, pairs of offset and value in order."""
        consumer = self.consumer("reader", **{"isolation.level": isolation, "enable.partition.eof": True})
        partitions = list(consumer.list_topics(topic, 10).topics[topic].partitions)
        consumer.assign([TopicPartition(topic, each, 0) for each in partitions])
        found, ended, until = {each: [] for each in partitions}, set(), time.monotonic() + 30
        while len(ended) < len(partitions) and time.monotonic() < until:
            message = consumer.poll(1)
            if message is None:
                continue
            if message.error():
                assert message.error().name() == "_PARTITION_EOF", message.error()
                ended.add(message.partition())
            else:
                found[message.partition()].append((message.offset(), message.value().decode()))
        consumer.close()
        assert len(ended) == len(partitions), "the topic could not be read to its end"
        return found

    def values(self, topic, isolation="read_committed"):
        return [value for messages in self.read(topic, isolation).values() for _, value in messages]


def settings(addresses, options):
    quiet = {"bootstrap.servers": addresses, "log_level": 0, "reconnect.backoff.max.ms": 200, "linger.ms": 1}
    return quiet | {"error_cb": lambda _: None} | {name.replace("_", "."): value for name, value in options.items()}


def send(producer, topic, values, **options):
    """Sends all values, and waits until the brokers have acknowledged them."""
    for value in values:
        producer.produce(topic, value=value, **options)
    assert producer.flush(20) == 0, "messages were not acknowledged"


def error_of(action):
    """Returns the error that an action raises."""
    try:
        action()
    except KafkaException as exception:
        return exception.args[0]
    raise AssertionError("no error where one was expected")


def eventually(condition, what, seconds=20):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, f"did not happen: {what}"
        time.sleep(0.05)


class Raw:
    """A connection to the first broker for single requests that no library would send."""

    def __init__(self, addresses):
        host, port = addresses.split(",")[0].split(":")
        self.socket = socket.create_connection((host, int(port)), 10)

    def __call__(self, key, version, write, flexible=False):
        """Sends a request that `write(writer)` fills. Returns a reader of the answer."""
        writer = Writer(flexible)
        writer.data += struct.pack(">hhih", key, version, 7, 3) + b"raw"
        write(writer.end())
        self.socket.sendall(struct.pack(">i", len(writer.data)) + writer.data)
        size, = struct.unpack(">i", self._take(4))
        answer = Reader(self._take(size), 4, flexible)
        return answer if not flexible else answer.end(answer)

    def _take(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            assert more, "the connection was closed"
            data += more
        return data

    def produce(self, topic, producer, epoch, sequence, count=1, transactional=None):
        """Sends a batch. Returns the error and the offset."""
        attributes = TRANSACTIONAL if transactional else 0
        # The broker does not read the records of a batch, so any bytes will do.
        batch = HEADER.pack(
            0, HEADER.size - 12 + 4, 0, 2, 0, attributes, count - 1, 0, 0, producer, epoch, sequence, count) + b"none"

        def write(writer):
            writer.string(transactional).i16(-1).i32(1000)
            writer.array([0], lambda _: writer.string(topic).array([0], lambda index: writer.i32(index).bytes(batch)))

        read = self(0, 7, write)
        read.i32(), read.string(), read.i32(), read.i32()
        return read.i16(), read.i64()

    def commit(self, group, generation, member, topic, offset):
        """Commits the offset of partition 0. Returns the error."""
        def partition(index):
            writer.i32(index).i64(offset).i32(-1).string("")

        def write(w):
            nonlocal writer
            writer = w
            w.string(group).i32(generation).string(member)
            w.array([0], lambda _: w.string(topic).array([0], partition))

        writer = None
        read = self(8, 6, write)
        read.i32(), read.i32(), read.string(), read.i32(), read.i32()
        return read.i16()

    def committed(self, group, topic, stable):
        """Asks for the committed offset of partition 0. With `stable`, an offset that an open transaction may change is an error.
        Returns the error and the offset."""
        def write(w):
            w.string(group).array([0], lambda _: (w.string(topic).array([0], w.i32), w.end())).i8(stable).end()

        read = self(9, 7, write, flexible=True)
        read.i32(), read.varint(), read.string(), read.varint(), read.i32()
        offset, _, _ = read.i64(), read.i32(), read.string()
        return read.i16(), offset
