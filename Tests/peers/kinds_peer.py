"""Exchanges messages of one kind with a pipeline. The messages are written here by hand, as Documentation/Formats.md says.

    kinds_peer.py json|msgpack KIND ENDPOINT

Binds (pull), prints the endpoint, reads the endpoint to push to, and sends the messages of the kind and the end of their stream;
sends nothing if that line is empty.
The messages that come back must be the same, byte for byte. Prints "same COUNT", or on standard error the first difference.
"""

import json
import sys

STREAM = "手/1"


def number(value):
    """Returns a number as the pipeline writes it: a whole number without a fraction."""
    return int(value) if value == int(value) else value


def points(count, *axes):
    """Returns the coordinates of points in one list. Each value in `axes` is the step of an axis from point to point."""
    return [number((i + 1) * axis) for i in range(count) for axis in axes]


def hand(**more):
    """Returns a hand of 21 points."""
    return {"topology": "hand21", "space": "normalized", "fields": "xyz", "pts": points(21, 1 / 64, 1 / 32, -1 / 128), **more}


STROKE = {"start_us": 1000, "fields": "xyt", "pts": [12.5, 40, 0, 13, 44.5, 16000, 14, 52, 32000], "label": "line"}
UGLY = 'Grüße 手 👩🏽‍🚀 "quoted" back\\slash tab\t'
SURE = {"name": "fist", "display_name": "Faust", "index": 0, "score": 0.9375}
UNSURE = {"name": "palm", "display_name": "palm", "index": 1, "score": 0.1}
NONE = {"name": "None", "display_name": "None", "index": -1, "score": 0}
TOOL = {
    "topology": "tool(tip,middle,end)", "space": "pixels", "fields": "xyz", "pts": [1, 2, 3, 4.25, 5, 6, -7, 8, 1 / 3],
    "conf": [1, 0.5, 0], "world": [0.001, 0, -0.25, 1, 2, 3, 4, 5, 6], "handedness": "Left", "handedness_score": 0.875,
    "score": 0.75, "presence": 0.625, "track": 7, "doubt": "small", "label": UGLY,
}

# The keys of each kind after those of the envelope, in the order in which the pipeline writes them.
KINDS = {
    "stroke": [
        STROKE,
        {"start_us": 2000, "counts": [2, 1], "fields": "xytp", "pts": [0.1, -0.25, 0, 0.5, 1000000, 3, 5.5, 1, -2, 1, 9, 0],
         "label": UGLY, "subject": ""},
        {"start_us": 3000, "fields": "xy", "pts": []},
    ],
    "points": [
        {"phase": "begin", "stroke": 3, "start_us": 1000, "fields": "xyp", "pts": [1, 2.5, 0.125]},
        {"phase": "move", "stroke": 3, "start_us": 1500, "fields": "xyt", "pts": [1, 2, 0, 3, 4, 250.5]},
        {"phase": "end", "stroke": 3, "start_us": 3000, "fields": "xy", "pts": []},
        {"phase": "cancel", "stroke": 4, "start_us": 4000, "fields": "xy", "pts": []},
    ],
    "landmarks": [
        TOOL,
        {"topology": "hand21", "fields": "xy", "pts": points(21, 0.5, 3)},
    ],
    "hands": [
        {"hands": [hand(world=points(21, 1 / 1024, -1 / 1024, 0.5), handedness="Left", handedness_score=0.9375),
                   hand(handedness="Right", score=0.5, track=300)]},
        {"hands": []},
    ],
    "results": [
        {"hands": [hand(handedness="Left", track=1, categories=[SURE, UNSURE]), hand(categories=[])]},
        {"hands": []},
        {"hands": [hand(handedness="Right", categories=[NONE])]},
    ],
    "vector": [
        {"values": [1, -0.5, 1 / 3, 0], "start_us": 1000, "end_us": 2000, "label": "line", "subject": {"kind": "stroke", **STROKE}},
        {"values": [], "start_us": 0, "end_us": 9007199254740991, "subject": {"kind": "landmarks", **TOOL}},
    ],
    "bitmap": [
        {"bits": "0123456789abcdef", "start_us": 1000, "end_us": 2000},
        {"bits": "ffffffffffffffff", "start_us": 1, "end_us": 70000, "label": UGLY, "subject": {"kind": "stroke", **STROKE}},
    ],
    "recognition": [
        {"categories": [SURE, UNSURE], "margin": 0.8375, "matcher": "protractor", "start_us": 1000, "end_us": 2000, "label": "fist"},
        {"categories": [NONE], "margin": 0, "matcher": "", "start_us": 0, "end_us": 4294967296,
         "subject": {"kind": "landmarks", **hand()}},
    ],
    "ink": [
        {"stroke": 0, "start_us": 1000, "fields": "xyw", "strips": [[1, 2, 0.5, 3, 4.25, 1]], "mesh": [[0, 0, 1, 1, 0.5, 2]],
         "label": "line", "subject": "ann"},
        {"stroke": 2, "start_us": 2000, "fields": "xytw", "strips": [[1, 2, 0, 3], [], [4, 5, 1000, 0.25, 6, 7, 2000.5, 0]]},
        {"phase": "begin", "stroke": 3, "start_us": 3000, "fields": "xyw", "strips": [[1, 2, 3]]},
        {"phase": "cancel", "stroke": 3, "start_us": 4000, "fields": "xyw", "strips": []},
    ],
    # Pipelines send errors, and never read them.
    "error": [
        {"node": "match", "code": "match.not_finite", "message": UGLY, "location": "byte 7",
         "frame": {"kind": "stroke", **STROKE}},
        {"node": "camera", "code": "decode.type", "message": "expected a number"},
    ],
}


def messages(kind):
    """Yields the messages of a kind, and the message that ends their stream. The first one has a clock and an unknown key."""
    bodies = KINDS[kind]
    for index, body in enumerate(bodies):
        envelope = {"v": 1, "kind": kind, "stream": STREAM, "seq": index, "t_us": 1000 * (index + 1)}
        first = index == 0
        yield {**envelope, **({"clock": "unix"} if first else {}), **body, **({"note": {"a": [1, 2.5, None, "x"]}} if first else {})}
    yield {"v": 1, "kind": kind, "stream": STREAM, "seq": len(bodies), "t_us": 1000 * len(bodies), "end": True}


def main():
    import msgpack
    import zmq

    form, kind, endpoint = sys.argv[1:]
    if form == "msgpack":
        pack, unpack = msgpack.packb, msgpack.unpackb
    else:
        pack = lambda message: json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        unpack = json.loads
    expected = [(STREAM.encode(), pack(message)) for message in messages(kind)]
    receiver = zmq.Context.instance().socket(zmq.PULL)
    receiver.setsockopt(zmq.RCVTIMEO, 20_000)
    receiver.bind(endpoint)
    print("at", receiver.getsockopt_string(zmq.LAST_ENDPOINT).rstrip("\0"), flush=True)
    sender = zmq.Context.instance().socket(zmq.PUSH)
    target = sys.stdin.readline().strip()
    if target:
        sender.connect(target)
        for parts in expected:
            sender.send_multipart(parts)
    for index, parts in enumerate(expected):
        received = tuple(receiver.recv_multipart())
        if received != parts:
            sys.exit(f"message {index} is {received}, which says {unpack(received[1])}, and not {parts}")
    print("same", len(expected), flush=True)


if __name__ == "__main__":
    main()
