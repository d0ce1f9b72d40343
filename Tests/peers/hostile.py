"""Sends nonsense to a pull socket for a while, with good messages in between: hostile.py ENDPOINT SECONDS SEED

Prints at the end how many good messages it has sent, in the streams good/0, good/1, …. Each stream is numbered from 0, and its
last message ends it.
"""

import json
import random
import socket
import sys
import time

import zmq

endpoint, seconds, seed = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
host, port = endpoint.removeprefix("tcp://").split(":")
context = zmq.Context()
push = context.socket(zmq.PUSH)
push.connect(endpoint)


def good(stream, number, end=False):
    message = {"v": 1, "kind": "stroke", "seq": number, "t_us": number * 1000, "fields": "xy", "pts": [number, 1, 2, 3]}
    if end:
        message["end"] = True
    return [stream.encode(), json.dumps(message).encode()]


def noise(limit=2000):
    return chance.randbytes(chance.randrange(limit))


def damaged():
    """A good message with bytes changed, cut out or doubled."""
    topic, payload = good(f"bad/{chance.randrange(1000)}", chance.randrange(1 << 40))
    payload = bytearray(payload)
    for _ in range(chance.randrange(1, 6)):
        place = chance.randrange(len(payload))
        match chance.randrange(4):
            case 0: payload[place] = chance.randrange(256)
            case 1: del payload[place : place + chance.randrange(1, 20)]
            case 2: payload[place:place] = payload[: chance.randrange(1, 20)]
            case _: del payload[place:]
        if not payload:
            break
    return [topic, bytes(payload)]


def nonsense():
    match chance.randrange(10):
        case 0: return [noise()]
        case 1: return [noise(50), noise()]
        case 2: return [noise(5) for _ in range(chance.randrange(1, 200))]
        case 3: return [b"", b""]
        case 4: return [noise(5000), good("x", 0)[1]]
        case 5: return [b"bad", b"[" * chance.randrange(100_000)]
        case 6: return [b"bad", b'{"v":1,"seq":0,"t_us":' + chance.choice([b"NaN", b"-1", b"1e400", b"null"]) + b"}"]
        case _: return damaged()


def intrude():
    """Sends raw bytes to the port."""
    try:
        with socket.create_connection((host, int(port)), timeout=2) as raw:
            raw.sendall(chance.choice([b"", noise(), b"GET / HTTP/1.1\r\n\r\n", b"\xff\0\0\0\0\0\0\0\1\x7f\3"]))
    except OSError:
        pass


sent, stream, number = 0, 0, 0
until = time.monotonic() + seconds
while time.monotonic() < until:
    for _ in range(chance.randrange(20)):
        push.send_multipart(nonsense())
    if chance.random() < 0.05:
        intrude()
    is_last = chance.random() < 0.01
    push.send_multipart(good(f"good/{stream}", number, is_last))
    sent, number = sent + 1, number + 1
    if is_last:
        stream, number = stream + 1, 0
push.send_multipart(good(f"good/{stream}", number, True))
print("sent", sent + 1, flush=True)
push.close(linger=60_000)
context.term()
