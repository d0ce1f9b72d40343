"""Answers the requests of Configs/ask-worker.yaml: python3 worker.py [ENDPOINT]

A request consists of two ZeroMQ frames: the name of the stream, and one JSON object, here a stroke. The reply is one JSON object
of the kind that the stage zmq_request declares in the pipeline. An empty reply means that there is no result: the frame leaves no
output. The reply {"error": "..."} rejects the frame with an error.
"""

import json
import sys

import zmq


def recognize(stroke):
    """Returns a recognition: whether the stroke is closed, that is, ends near its first point."""
    width = len(stroke["fields"])
    xs, ys = stroke["pts"][0::width], stroke["pts"][1::width]
    if len(xs) < 2:
        return {"error": "one point is no gesture"}
    size = max(max(xs) - min(xs), max(ys) - min(ys))
    gap = ((xs[-1] - xs[0]) ** 2 + (ys[-1] - ys[0]) ** 2) ** 0.5
    closed = max(0.0, 1 - 2 * gap / size) if size else 1.0
    name, score = ("closed", closed) if closed > 0.5 else ("open", 1 - closed)
    return {"v": 1, "kind": "recognition", "categories": [{"name": name, "score": score}]}


if __name__ == "__main__":
    socket = zmq.Context().socket(zmq.REP)
    socket.bind(sys.argv[1] if len(sys.argv) > 1 else "tcp://127.0.0.1:5558")
    print("waiting for requests at", socket.getsockopt_string(zmq.LAST_ENDPOINT).rstrip("\0"), flush=True)
    while True:
        stream, request = socket.recv_multipart()
        socket.send(json.dumps(recognize(json.loads(request))).encode())
