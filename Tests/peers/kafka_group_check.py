"""The part of `kafka_broker_check.py` about groups and faults."""

import random
import signal
import time

from confluent_kafka import TopicPartition

from kafka_members import Member, child, kill
from kafka_tools import Raw, error_of, eventually, send


def a_group_shares_the_partitions(cluster, assign):
    topic = cluster.topic(f"shared-{assign}", 12)
    producer, sent, members = cluster.producer(), [], []

    def shared(count):
        held = [member.held for member in members]
        return all(held) and sum(map(len, held)) == 12 and len(frozenset().union(*held)) == 12 and \
            cluster(f"group {topic}").startswith("stable ") and cluster(f"group {topic}").endswith(f" {count}")

    def more():
        values = [f"{len(sent) + number}".encode() for number in range(300)]
        for index in range(12):
            send(producer, topic, values[index::12], partition=index)
        sent.extend(values)

    for _ in range(3):
        members.append(Member(cluster, topic, assign))
        more()
        eventually(lambda: shared(len(members)), f"{len(members)} members with partitions of their own")
        more()
    left = members.pop()
    left.stop()
    more()
    eventually(lambda: shared(2), "two members that have taken over")
    # A killed member does not leave the group. The broker has to notice that it is missing.
    killed = child("member", cluster.addresses, topic, assign)
    assert killed.stdout.readline() == "assigned\n"
    eventually(lambda: cluster(f"group {topic}").endswith(" 3"), "the third member")
    kill(killed)
    eventually(lambda: shared(2), "two members again")
    more()
    eventually(lambda: sum(len(member.read) for member in members + [left]) >= len(sent), "all messages")
    for member in members:
        member.stop()
    read = [value for member in members + [left] for value in member.read]
    assert sorted(read) == sorted(sent), "each message once"
    for index in range(12):
        end = cluster(f"end {topic} {index}")
        assert cluster(f"committed {topic} {topic} {index}") == end, f"partition {index} ends at {end}"


def a_group_shares_the_partitions_eagerly(cluster):
    a_group_shares_the_partitions(cluster, "roundrobin")


def a_group_shares_the_partitions_cooperatively(cluster):
    a_group_shares_the_partitions(cluster, "cooperative-sticky")


def only_members_can_commit(cluster):
    cluster.topic("zombies", 2)
    cluster("coordinator group zombies 1")
    send(cluster.producer(), "zombies", ["one", "two"])
    member, raw = Member(cluster, "zombies", "range"), Raw(cluster.addresses)
    eventually(lambda: len(member.held) == 2, "the partitions")
    eventually(lambda: member.metadata, "the group metadata of the member")
    zombie, old = member.metadata, int(cluster("group zombies").split()[1])
    second = Member(cluster, "zombies", "range")
    eventually(lambda: len(second.held) == 1 and len(member.held) == 1, "the rebalance")
    before = cluster("committed zombies zombies 0")
    assert raw.commit("zombies", old, member.name, "zombies", 77) == 22, "an old generation"
    assert raw.commit("zombies", old + 1, "somebody", "zombies", 77) == 25, "an unknown member"
    assert raw.commit("zombies", -1, "", "zombies", 77) == 25, "a commit without a member, while the group has members"
    producer = cluster.transactional("zombies")
    producer.begin_transaction()
    send(producer, "zombies", ["of the zombie"])
    offsets = [TopicPartition("zombies", 0, 77)]
    error = error_of(lambda: producer.send_offsets_to_transaction(offsets, zombie, 20))
    assert error.name() == "ILLEGAL_GENERATION" and error.txn_requires_abort(), error
    producer.abort_transaction(20)
    producer.begin_transaction()
    producer.send_offsets_to_transaction(offsets, member.metadata, 20)
    assert cluster("committed zombies zombies 0") == before
    producer.commit_transaction(20)
    assert cluster("committed zombies zombies 0") == "77"
    member.stop()
    second.stop()


def metadata_has_a_largest_size(cluster):
    cluster.topic("sized", 1)
    consumer = cluster.consumer("sized")
    consumer.commit(offsets=[TopicPartition("sized", 0, 3, "x" * 4095)], asynchronous=False)
    result = error_of(lambda: consumer.commit(offsets=[TopicPartition("sized", 0, 4, "x" * 4096)], asynchronous=False))
    assert result.name() == "OFFSET_METADATA_TOO_LARGE", result
    assert cluster("committed sized sized 0") == "3 " + "x" * 4095 + r"\0"
    consumer.close()


# Faults


def faults_neither_lose_nor_duplicate_messages(cluster):
    cluster.topic("faults", 3)
    producer, member = cluster.producer(enable_idempotence=True), Member(cluster, "faults", "range")
    sent, generator = [], random.Random(11)
    faults = [
        "down 1", "leader faults 0 2", "rtt 2 40", "up 1", "lose 0 3", "errors 0 5 6", "errors 1 5 -195",
        "coordinator group faults 2", "leader faults 2 1", "down 2", "coordinator group faults 3", "up 2", "rtt 2 0",
        "errors 12 3 16", "errors 8 2 14", "lose 8 2", "refuse faults 5", "refuse faults 0", "down 3", "up 3",
    ]
    for fault in faults:
        assert cluster(fault) == "ok", fault
        for _ in range(100):
            sent.append(str(len(sent)).encode())
            producer.produce("faults", value=sent[-1], partition=generator.randrange(3))
        producer.poll(0)
        time.sleep(0.1)
    assert producer.flush(30) == 0
    # The member may read something twice: a commit of offsets whose answer is lost can fail.
    eventually(lambda: len(set(member.read)) >= len(sent), "all messages", 30)
    member.stop()
    assert sorted(set(member.read)) == sorted(sent) == sorted(value.encode() for value in cluster.values("faults"))


def workers_that_are_killed_process_each_message_once(cluster):
    cluster.topic("work", 6)
    cluster.topic("done", 3)
    values, generator = [str(number) for number in range(20000)], random.Random(3)
    producer = cluster.producer()
    for index in range(6):
        send(producer, "work", values[index::6], partition=index)
    ends = [cluster(f"end work {index}") for index in range(6)]
    lives = {number: 6 for number in range(3)}
    workers = {number: child("worker", cluster.addresses, str(number), "6") for number in lives}
    until = time.monotonic() + 90
    while [cluster(f"committed workers work {index}") for index in range(6)] != ends:
        assert time.monotonic() < until, "the work does not come to its end"
        for number in [number for number, worker in workers.items() if worker.poll() is not None]:
            assert workers[number].returncode == -signal.SIGKILL, "a worker failed"
            lives[number] -= 1
            cluster(generator.choice([
                "lose 26 1", "lose 28 1", "lose 0 2", "lose 22 1", "errors 26 2 51",
                f"leader done {generator.randrange(3)} {number + 1}", f"coordinator group workers {number + 1}",
                f"coordinator transaction worker-{number} {generator.randrange(3) + 1}",
            ]))
            workers[number] = child("worker", cluster.addresses, str(number), str(lives[number]))
        time.sleep(0.05)
    assert sum(lives.values()) <= 6, f"too few workers were killed: {lives}"
    for worker in workers.values():
        kill(worker)
    for number in range(3):
        cluster.transactional(f"worker-{number}")
    assert sorted(cluster.values("done")) == sorted(values), "each message once"
    assert len(cluster.values("done", "read_uncommitted")) > len(values), "no worker was killed at its work"


CHECKS = [
    a_group_shares_the_partitions_eagerly,
    a_group_shares_the_partitions_cooperatively,
    only_members_can_commit,
    metadata_has_a_largest_size,
    faults_neither_lose_nor_duplicate_messages,
    workers_that_are_killed_process_each_message_once,
]
