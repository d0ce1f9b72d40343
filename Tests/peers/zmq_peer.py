"""A peer in Python that implements the wire format from its description alone.

    zmq_peer.py send push|pub ENDPOINT COUNT     connects and sends COUNT strokes of each of two streams
    zmq_peer.py publish pub ENDPOINT COUNT       connects and, once there is a subscriber, publishes COUNT strokes of one stream,
                                                 one each millisecond; prints how many it could not send at once
    zmq_peer.py receive pull|sub ENDPOINT ENDS   binds (pull) or connects (sub), receives until ENDS streams have ended, checks
                                                 every message, and prints how many messages each stream had

    zmq_peer.py forever push ENDPOINT 0          connects and sends strokes of one stream numbered from 0, one each
                                                 millisecond and stamped with the time of day, until it is killed
    zmq_peer.py burst pub ENDPOINT COUNT         connects and, once there is a subscriber, publishes COUNT strokes as fast as
                                                 it can; then one more, which ends the stream, as soon as there is room
    zmq_peer.py curve push ENDPOINT KEY          connects with a new pair of CURVE keys to the server of this public key, and
                                                 sends three strokes

Senders write one point per stroke, at x = number and y = number / 2, so that receivers know what to expect.
"""

import json
import sys
import time

import zmq


def send(kind, endpoint, count):
    socket = zmq.Context.instance().socket(zmq.PUSH if kind == "push" else zmq.PUB)
    socket.connect(endpoint)
    for number in range(count):
        for stream in ("pen/1", "手"):
            message = {
                "v": 1, "kind": "stroke", "stream": stream, "seq": number, "t_us": 1000 * number, "fields": "xy",
                "pts": [number, number / 2],
            }
            if number == count - 1:
                message["end"] = True
            socket.send_multipart([stream.encode(), json.dumps(message).encode()])


def publish(kind, endpoint, count):
    socket = zmq.Context.instance().socket(zmq.XPUB)
    # Where a publisher would drop a message silently, `send` then raises `zmq.Again`.
    socket.setsockopt(zmq.XPUB_NODROP, 1)
    socket.connect(endpoint)
    socket.recv()
    refused = 0
    begin = time.monotonic()
    for number in range(count):
        time.sleep(max(0.0, begin + number / 1000 - time.monotonic()))
        message = {
            "v": 1, "kind": "stroke", "stream": "pen/1", "seq": number, "t_us": 1000 * number, "fields": "xy",
            "pts": [number, number / 2],
        }
        if number == count - 1:
            message["end"] = True
        try:
            socket.send_multipart([b"pen/1", json.dumps(message).encode()], zmq.NOBLOCK)
        except zmq.Again:
            refused += 1
    print("refused", refused, flush=True)
    print("seconds", time.monotonic() - begin, flush=True)


def receive(kind, endpoint, ends):
    socket = zmq.Context.instance().socket(zmq.PULL if kind == "pull" else zmq.SUB)
    if kind == "pull":
        socket.bind(endpoint)
    else:
        socket.subscribe("")
        socket.connect(endpoint)
    print("at", socket.getsockopt_string(zmq.LAST_ENDPOINT).rstrip("\0"), flush=True)
    next_number = {}
    socket.setsockopt(zmq.RCVTIMEO, 20_000)
    while ends > 0:
        topic, payload = socket.recv_multipart()
        message = json.loads(payload)
        stream = topic.decode()
        assert message["stream"] == stream, message
        assert message["v"] == 1 and message["kind"] == "stroke", message
        if message.get("quiet"):
            continue
        number = next_number.get(stream, 0)
        assert message["seq"] == number, (message, number)
        if message.get("end"):
            ends -= 1
        if "pts" in message:
            assert message["t_us"] == 1000 * number, message
            assert message["fields"] == "xy" and message["pts"] == [number, number / 2], message
            next_number[stream] = number + 1
    print("saw", json.dumps(next_number, sort_keys=True), flush=True)


def stroke(stream, number, time_us, end=False):
    message = {"v": 1, "kind": "stroke", "seq": number, "t_us": time_us, "fields": "xy", "pts": [number, number / 2]}
    if end:
        message["end"] = True
    return [stream.encode(), json.dumps(message).encode()]


def forever(kind, endpoint, _):
    socket = zmq.Context.instance().socket(zmq.PUSH)
    socket.connect(endpoint)
    number = 0
    while True:
        socket.send_multipart(stroke("pen/1", number, time.time_ns() // 1000))
        number += 1
        time.sleep(0.001)


def burst(kind, endpoint, count):
    socket = zmq.Context.instance().socket(zmq.XPUB)
    # Where a publisher would drop a message silently, `send` then raises `zmq.Again`, and the loop drops the message.
    socket.setsockopt(zmq.XPUB_NODROP, 1)
    socket.connect(endpoint)
    socket.recv()
    for number in range(count):
        try:
            socket.send_multipart(stroke("pen/1", number, number), zmq.NOBLOCK)
        except zmq.Again:
            pass
    print("sent", count, flush=True)
    # This message waits for room.
    socket.send_multipart(stroke("pen/1", count, count, end=True))


def curve(kind, endpoint, key):
    socket = zmq.Context.instance().socket(zmq.PUSH)
    socket.curve_publickey, socket.curve_secretkey = zmq.curve_keypair()
    socket.curve_serverkey = key.encode()
    socket.connect(endpoint)
    for number in range(3):
        socket.send_multipart(stroke("pen/1", number, number, end=number == 2))


if __name__ == "__main__":
    verb, kind, endpoint, last = sys.argv[1:]
    if verb == "curve":
        curve(kind, endpoint, last)
    else:
        verbs = {"send": send, "publish": publish, "receive": receive, "forever": forever, "burst": burst}
        verbs[verb](kind, endpoint, int(last))
    # Waits until all messages have been sent.
    zmq.Context.instance().destroy(linger=60_000)
