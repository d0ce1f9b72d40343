"""Sends messages that Examples/Python/mediapipe_sender.py makes from invented results, without MediaPipe and without a camera.

    mediapipe_message.py ENDPOINT COUNT      binds, waits for a subscriber, publishes COUNT messages and the end

The results have the attributes of MediaPipe's HandLandmarkerResult, NormalizedLandmark, Landmark and Category.
"""

import json
import os
import sys
from types import SimpleNamespace as Thing

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Examples/Python"))
import mediapipe_sender  # noqa: E402


def hand(name, score, shift):
    points = [Thing(x=shift + i / 64, y=i / 32, z=-i / 128, visibility=0.0, presence=0.0) for i in range(21)]
    world = [Thing(x=i / 1024, y=-i / 1024, z=0.0, visibility=0.0, presence=0.0) for i in range(21)]
    return points, world, [Thing(index=0, score=score, display_name=name, category_name=name)]


def result(*hands):
    landmarks, worlds, sides = zip(*hands) if hands else ((), (), ())
    return Thing(hand_landmarks=list(landmarks), hand_world_landmarks=list(worlds), handedness=list(sides))


def results(count):
    both = [hand("Left", 0.9375, 0.0), hand("Right", 0.875, 0.5)]
    return [result(*both[: number % 3]) for number in range(count)]


def main():
    import zmq

    endpoint, count = sys.argv[1], int(sys.argv[2])
    socket = zmq.Context.instance().socket(zmq.XPUB)
    socket.bind(endpoint)
    print("at", socket.getsockopt_string(zmq.LAST_ENDPOINT).rstrip("\0"), flush=True)
    socket.recv()
    for number, seen in enumerate(results(count)):
        message = mediapipe_sender.message(seen, "camera", number, number * 33_000)
        socket.send_multipart([b"camera", json.dumps(message).encode()])
    end = {"v": 1, "kind": "hands", "stream": "camera", "seq": count, "t_us": count * 33_000, "end": True}
    socket.send_multipart([b"camera", json.dumps(end).encode()])


if __name__ == "__main__":
    main()
