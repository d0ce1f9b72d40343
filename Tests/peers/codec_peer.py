"""Sends back the messages that it receives, encoded again by Python's own libraries.

    codec_peer.py json|msgpack ENDPOINT      binds (pull), prints where, reads the endpoint to push to, echoes until a stream ends

Each received message must be as Python would have written it: for MessagePack byte for byte, for JSON with the same values.
"""

import json
import sys

import msgpack
import zmq

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
        message = json.loads(payload)
        again = json.dumps(message, allow_nan=False).encode()
        assert json.loads(again) == message
    assert message["stream"].encode() == topic, message
    sender.send_multipart([topic, again])
    count += 1
    if message.get("end"):
        break
print("echoed", count, flush=True)
