"""Encodes the messages of a file with orjson, the yardstick of our encoder. The fastest round counts, in processor time.

usage: encode.py FILE ROUNDS
"""

import itertools
import json
import sys
import time

import orjson


def main():
    path, rounds = sys.argv[1], int(sys.argv[2])
    with open(path, "rb") as file:
        messages = [orjson.loads(line) for line in itertools.islice(file, 20_000)]
    quickest = None
    for _ in range(rounds):
        began = time.process_time_ns()
        size = 0
        for message in messages:
            size += len(orjson.dumps(message))
        took = time.process_time_ns() - began
        quickest = took if quickest is None else min(quickest, took)
    print(json.dumps({"ns": quickest / len(messages), "items": rounds * len(messages), "check": size}))


main()
