"""What all brokers of the cluster share: topics, groups, transactions, and the faults that commands have set."""

import time
import zlib
from collections import deque

from . import errors
from .group import Group
from .log import Partition
from .transactions import Transactions

GROUP, TRANSACTION = 0, 1
# As many as librdkafka's mock brokers give to a topic that a producer creates by writing to it.
PARTITIONS_OF_NEW_TOPICS = 4


class Broker:
    """One broker: its port, whether it is up, and the delay of its answers in seconds."""

    def __init__(self, number):
        self.number, self.port, self.up, self.delay = number, 0, True, 0.0
        self.server, self.connections = None, set()


class Cluster:
    def __init__(self, count):
        self.brokers = {number: Broker(number) for number in range(1, count + 1)}
        self.topics, self.groups = {}, {}
        self.transactions = Transactions(time.monotonic, lambda topic, index: self.topics[topic][index], self.group)
        self.refused = {}  # topic → error
        self.forced = {}  # API key → errors for its next requests
        self.lost = {}  # API key → how many of its next answers get lost
        self.coordinators = {}  # (kind, name) → broker to which the coordinator was moved
        self.size_limit = None

    def create(self, name, count):
        """Creates a topic; its partitions are led by the brokers in turn."""
        numbers = list(self.brokers)
        self.topics[name] = [Partition(numbers[index % len(numbers)]) for index in range(count)]

    def group(self, name):
        """Returns the group of this name. Creates it if there is none."""
        return self.groups.setdefault(name, Group(time.monotonic))

    def partition(self, topic, index):
        """Returns an error and the partition."""
        if topic in self.refused:
            return self.refused[topic], None
        partitions = self.topics.get(topic, ())
        return (errors.NONE, partitions[index]) if 0 <= index < len(partitions) else (errors.UNKNOWN_TOPIC_OR_PARTITION, None)

    def led(self, broker, topic, index):
        """Returns an error and the partition, for a request that only the partition's leader answers."""
        error, partition = self.partition(topic, index)
        return (errors.NOT_LEADER, None) if not error and partition.leader != broker.number else (error, partition)

    def coordinator(self, kind, name):
        number = self.coordinators.get((kind, name), zlib.crc32(name.encode()) % len(self.brokers) + 1)
        return self.brokers[number]

    def coordinated(self, request, kind, name):
        """Returns the error for a request to a coordinator: the forced error, or NOT_COORDINATOR if this broker is not the one."""
        if request.forced:
            return request.forced
        return errors.NONE if self.coordinator(kind, name) is request.broker else errors.NOT_COORDINATOR

    def force(self, key, codes):
        self.forced.setdefault(key, deque()).extend(codes)

    def forced_error(self, key):
        waiting = self.forced.get(key)
        return waiting.popleft() if waiting else errors.NONE

    def is_lost(self, key):
        """Returns whether the answer to this request gets lost, and counts it."""
        if not self.lost.get(key):
            return False
        self.lost[key] -= 1
        return True

    def tick(self):
        """Ends sessions, rebalances and transactions that have timed out. A coordinator that is down ends nothing."""
        now = time.monotonic()
        for name, group in self.groups.items():
            if self.coordinator(GROUP, name).up:
                group.tick(now)
        self.transactions.tick(now, lambda name: self.coordinator(TRANSACTION, name).up)

    def resume(self, broker):
        for name, group in self.groups.items():
            if self.coordinator(GROUP, name) is broker:
                group.resume(time.monotonic())
