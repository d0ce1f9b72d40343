"""The participants in the checks of the broker: members of groups, and processes that are killed.

    kafka_members.py PART ADDRESSES …     one of the parts below, `run_PART`
"""

import os
import random
import signal
import subprocess
import sys
import threading
import time

from confluent_kafka import KafkaException, TopicPartition

from kafka_tools import Cluster, send


def child(*words):
    """Starts one of the parts in its own process."""
    return subprocess.Popen([sys.executable, __file__, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.wait()


class Member(threading.Thread):
    """A member of a group that reads and commits until it is stopped."""

    def __init__(self, cluster, topic, assign):
        super().__init__()
        self.consumer = cluster.consumer(topic, **{"partition.assignment.strategy": assign})
        self.topic, self.ended, self.read, self.held, self.metadata = topic, threading.Event(), [], frozenset(), None
        self.start()

    def run(self):
        self.consumer.subscribe([self.topic], on_revoke=lambda consumer, _: self.commit())
        while not self.ended.is_set():
            self.read += [message.value() for message in self.consumer.consume(100, 0.05) if not message.error()]
            self.held = frozenset(each.partition for each in self.consumer.assignment())
            self.name, self.metadata = self.consumer.memberid(), self.consumer.consumer_group_metadata()
        self.commit()
        self.consumer.close()

    def commit(self):
        try:
            self.consumer.commit(asynchronous=False)
        except Exception as error:  # nothing was read since the last commit, or another member has the partitions
            assert error.args[0].name() in ("_NO_OFFSET", "_ASSIGNMENT_LOST"), error

    def stop(self):
        self.ended.set()
        self.join()


class Remote(Cluster):
    """The cluster of the parent."""

    def __init__(self, addresses):
        self.addresses = addresses


def run_producer(cluster, name, timeout, topic):
    """Sends ten messages in a transaction, and leaves it open."""
    producer = cluster.transactional(name, transaction_timeout_ms=int(timeout))
    producer.begin_transaction()
    send(producer, topic, [f"{name} {number}" for number in range(10)])
    print("open", flush=True)
    threading.Event().wait()


def run_member(cluster, topic, assign):
    """Takes its partitions, and reads nothing."""
    consumer = cluster.consumer(topic, **{"partition.assignment.strategy": assign, "enable.auto.offset.store": False})
    consumer.subscribe([topic])
    while not consumer.assignment():
        consumer.poll(0.05)
        consumer.pause(consumer.assignment())
    print("assigned", flush=True)
    while True:
        consumer.poll(0.05)


def run_worker(cluster, number, lives):
    """Writes each message of `work` to `done`, in transactions that commit what was read. Kills itself at some point of one of its
    first transactions, as long as it has more lives."""
    consumer, producer = cluster.consumer("workers"), cluster.transactional(f"worker-{number}")
    generator = random.Random(int(number) * 10 + int(lives))
    last, place = generator.randrange(1, 6), generator.randrange(4)
    transaction = 0

    def dies(here):
        return int(lives) > 1 and transaction >= last and here == place

    def point(here):
        if dies(here):
            os.kill(os.getpid(), signal.SIGKILL)

    consumer.subscribe(["work"])
    while True:
        # Taken before reading, so that messages read across a rebalance are not committed.
        group = consumer.consumer_group_metadata()
        messages = [message for message in consumer.consume(50, 0.1) if not message.error()]
        if not messages:
            continue
        transaction += 1
        producer.begin_transaction()
        ends = {}
        for message in messages:
            producer.produce("done", message.value())
            ends[message.partition()] = message.offset() + 1
        try:
            producer.flush(20)
            point(0)
            offsets = [TopicPartition("work", index, offset) for index, offset in ends.items()]
            producer.send_offsets_to_transaction(offsets, group, 20)
            point(1)
            if dies(2):
                # Dies while the commit is in progress, or after it.
                threading.Timer(generator.uniform(0, 0.002), os.kill, (os.getpid(), signal.SIGKILL)).start()
            producer.commit_transaction(20)
            point(3)
        except Exception as error:
            assert error.args[0].txn_requires_abort(), error
            producer.abort_transaction(20)
            for each in committed(consumer):
                each.offset = max(each.offset, 0)
                consumer.seek(each)


def committed(consumer):
    """Returns the committed offsets, to which the consumer goes back. Retries while the coordinator moves."""
    for attempt in range(20):
        try:
            return consumer.committed(consumer.assignment(), 20)
        except KafkaException as error:
            if attempt == 19 or not error.args[0].retriable() and error.args[0].name() != "NOT_COORDINATOR":
                raise
        time.sleep(0.1)


def end_with_parent():
    """Ends this process when its parent has ended, because that closes the standard input."""
    sys.stdin.read()
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=end_with_parent, daemon=True).start()
    part, addresses, *rest = sys.argv[1:]
    {"producer": run_producer, "member": run_member, "worker": run_worker}[part](Remote(addresses), *rest)
