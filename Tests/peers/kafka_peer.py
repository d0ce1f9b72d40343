"""A peer of the Kafka source and sink on confluent-kafka.

    kafka_peer.py produce BROKERS TOPIC [OPTION=VALUE …]
        sends the messages of standard input, in JSON Lines: {"key": …, "value": …, "headers": {…}, "partition": …, "t_ms": …}.
        Only the value is required. A value that is an object or a list is sent as JSON, a text as it is; {"base64": …} stands for
        bytes. Prints how many messages the brokers have acknowledged.
    kafka_peer.py consume BROKERS TOPIC COUNT [--isolation read_committed|read_uncommitted] [OPTION=VALUE …]
        prints the first COUNT messages of a topic in the same form, with "offset" too. A value in UTF-8 is a text. Ends with 1 if
        there are fewer messages. COUNT may be "all": all messages that are in the topic now.

OPTION is a property of librdkafka, as in compression.type=zstd.
"""

import argparse
import base64
import json
import sys
import time

from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition

PATIENCE = 30.0


def to_bytes(value):
    if value is None:
        return None
    if isinstance(value, dict) and list(value) == ["base64"]:
        return base64.b64decode(value["base64"])
    if isinstance(value, str):
        return value.encode()
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def to_value(data):
    if data is None:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def produce(arguments, options):
    producer = Producer({"bootstrap.servers": arguments.brokers, "linger.ms": 5} | options)
    failed, sent = [], 0

    def delivered(error, _):
        if error:
            failed.append(str(error))

    for line in sys.stdin:
        message = json.loads(line)
        more = {"partition": message["partition"]} if "partition" in message else {}
        if "t_ms" in message:
            more["timestamp"] = message["t_ms"]
        headers = [(name, to_bytes(value)) for name, value in message.get("headers", {}).items()]
        producer.produce(
            arguments.topic, key=to_bytes(message.get("key")), value=to_bytes(message["value"]), headers=headers,
            callback=delivered, **more)
        sent += 1
        producer.poll(0)
    left = producer.flush(PATIENCE)
    for error in failed:
        print(error, file=sys.stderr)
    print("sent", sent - left - len(failed), flush=True)
    return 1 if left or failed else 0


def show(message):
    found = {"key": to_value(message.key()), "value": to_value(message.value())}
    found["headers"] = {name: to_value(value) for name, value in message.headers() or []}
    found |= {"partition": message.partition(), "offset": message.offset(), "t_ms": message.timestamp()[1]}
    print(json.dumps(found, ensure_ascii=False), flush=True)


def consume(arguments, options):
    consumer = Consumer({
        "bootstrap.servers": arguments.brokers, "group.id": "peer", "enable.auto.commit": False, "enable.partition.eof": True,
        "isolation.level": arguments.isolation, "fetch.wait.max.ms": 50,
    } | options)
    partitions = consumer.list_topics(arguments.topic, PATIENCE).topics[arguments.topic].partitions
    consumer.assign([TopicPartition(arguments.topic, index, OFFSET_BEGINNING) for index in partitions])
    wanted = None if arguments.count == "all" else int(arguments.count)
    seen, ended, until = 0, set(), time.monotonic() + PATIENCE
    while seen != wanted and time.monotonic() < until:
        message = consumer.poll(0.5)
        if message is None:
            continue
        if not message.error():
            show(message)
            seen += 1
            ended.discard(message.partition())
        elif message.error().name() == "_PARTITION_EOF":
            ended.add(message.partition())
            if wanted is None and len(ended) == len(partitions):
                break
        else:
            print(message.error(), file=sys.stderr)
    consumer.close()
    return 0 if wanted in (None, seen) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part", required=True)
    for part, function in (("produce", produce), ("consume", consume)):
        each = parts.add_parser(part)
        each.set_defaults(function=function)
        each.add_argument("brokers")
        each.add_argument("topic")
        if part == "consume":
            each.add_argument("count")
            each.add_argument("--isolation", default="read_uncommitted", choices=["read_committed", "read_uncommitted"])
        each.add_argument("options", nargs="*", metavar="OPTION=VALUE")
    arguments = parser.parse_args()
    sys.exit(arguments.function(arguments, dict(option.split("=", 1) for option in arguments.options)))


if __name__ == "__main__":
    main()
