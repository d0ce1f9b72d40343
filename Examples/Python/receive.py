"""Prints the gestures that a pipeline recognizes: python3 receive.py [ENDPOINT] [json|msgpack]

Every stream ends with a message that has "end": true; with "restarts": true, the stream goes on. The program exits when all
streams that it has received have ended. Use msgpack if the zmq sink of the pipeline has encode: msgpack.
"""

import json
import sys

import zmq

endpoint = sys.argv[1] if len(sys.argv) > 1 else "tcp://127.0.0.1:5557"
decode = json.loads
if sys.argv[2:] == ["msgpack"]:
    from msgpack import unpackb as decode

context = zmq.Context()
socket = context.socket(zmq.SUB)
socket.connect(endpoint)
socket.setsockopt(zmq.SUBSCRIBE, b"")  # all streams; b"pen/1" would subscribe to one
seen, ended = set(), set()
while not seen or seen != ended:
    stream, message = socket.recv_multipart()
    seen.add(stream)
    result = decode(message)
    if result.get("end") and not result.get("restarts"):
        ended.add(stream)
    for found in result.get("hands", [result]):  # the results of hands have categories for each hand
        for category in found.get("categories", [])[:1]:
            line = f'{stream.decode()}  {result["t_us"] / 1e6:.3f} s  {category["name"]}  {category["score"]:.3f}'
            print(line, found.get("handedness", ""), sep="  ")
