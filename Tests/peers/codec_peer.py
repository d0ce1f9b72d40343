"""Sends back the messages that it receives, encoded again by Python's own libraries.

    codec_peer.py json|msgpack ENDPOINT      binds (pull), prints where, reads the endpoint to push to, echoes until a stream ends

A MessagePack message must have the bytes that Python's library would write. JSON must be strict: UTF-8 without NaN, infinities or
repeated keys, and no number may have more digits than are needed to represent it.
"""

import json
import re
import sys

import msgpack
import zmq



def once(pairs):
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)


def shortest(text):
    digits, least = (re.sub(r"[eE].*|[-.]", "", number).strip("0") for number in (text, repr(float(text))))
    assert len(digits) <= len(least), text
    return float(text)


def refused(text):
    raise AssertionError(text)


form, endpoint = sys.argv[1:]
receiver = zmq.Context.instance().socket(zmq.PULL)
receiver.bind(endpoint)
print("at", receiver.getsockopt_string(zmq.LAST_ENDPOINT).rstrip("\0"), flush=True)
sender = zmq.Context.instance().socket(zmq.PUSH)
sender.connect(sys.stdin.readline().strip())
receiver.setsockopt(zmq.RCVTIMEO, 20_000)
count = 0
while True:
    topic, payload = receiver.recv_multipart()
    if form == "msgpack":
        message = msgpack.unpackb(payload)
        assert msgpack.packb(message) == payload, payload
        again = msgpack.packb(message)
    else:
        message = json.loads(payload.decode(), object_pairs_hook=once, parse_float=shortest, parse_constant=refused)
        again = json.dumps(message, allow_nan=False).encode()
    assert message["stream"].encode() == topic, message
    sender.send_multipart([topic, again])
    count += 1
    if message.get("end"):
        break
print("echoed", count, flush=True)
