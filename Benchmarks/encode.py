"""Encodes the messages of a file with orjson: the yardstick of our encoder.

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
    began = time.perf_counter_ns()
    for _ in range(rounds):
        size = 0
        for message in messages:
            size += len(orjson.dumps(message))
    took = time.perf_counter_ns() - began
    items = rounds * len(messages)
    print(json.dumps({"ns": took / items, "items": items, "check": size}))


main()
