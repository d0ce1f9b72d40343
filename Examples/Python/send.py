"""Sends recorded strokes to a pipeline: python3 send.py [FILE] [ENDPOINT] [json|msgpack]

A message consists of two ZeroMQ frames: the name of the stream, and one JSON object. Each line of a recording is such an
object. To send MessagePack, give the source in the pipeline the option decode: { format: msgpack }.
"""

import json
import sys

import zmq

path = sys.argv[1] if len(sys.argv) > 1 else "Samples/session.jsonl"
endpoint = sys.argv[2] if len(sys.argv) > 2 else "tcp://127.0.0.1:5556"
encode = lambda message: json.dumps(message).encode()
if sys.argv[3:] == ["msgpack"]:
    from msgpack import packb as encode

with open(path, encoding="utf-8") as file:
    strokes = [json.loads(line) for line in file]

# The last stroke of a stream marks its end. The pipeline ends when all streams have ended.
last = {stroke["stream"]: index for index, stroke in enumerate(strokes)}

context = zmq.Context()
socket = context.socket(zmq.PUSH)
socket.connect(endpoint)
for index, stroke in enumerate(strokes):
    if last[stroke["stream"]] == index:
        stroke["end"] = True
    socket.send_multipart([stroke["stream"].encode(), encode(stroke)])
print(f"{len(strokes)} strokes sent to {endpoint}")
socket.close()
context.term()  # waits until everything has been sent
