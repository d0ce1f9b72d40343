"""Sends the hands that MediaPipe detects to a pipeline.

    python3 mediapipe_sender.py [--video FILE] [--model hand_landmarker.task] [--to ENDPOINT]

Publishes one message per frame of the camera or the video: all hands with their landmarks, in the project's own format.
The timestamp is the time of the computer's clock; for a video, it is the time since the beginning of the video. If there are
several senders, each needs its own stream name: --stream left, --stream right. A video starts when the first subscriber
connects, and plays at its own speed. Requires `python3 -m pip install mediapipe pyzmq` and the model. If the model is
missing, the program prints where to download it.

A pipeline receives the messages with: zmq: { connect: "tcp://127.0.0.1:5556", socket: sub, kind: hands }
"""

import argparse
import json
import os
import sys
import time

MODEL = "https://storage.googleapis.com/mediapipe-models/hand_landmarker/hand_landmarker/float16/latest/hand_landmarker.task"


def flat(landmarks):
    """Returns x, y and z of all landmarks as one flat list."""
    return [round(number, 6) for point in landmarks for number in (point.x, point.y, point.z)]


def message(result, stream, number, time_us):
    """Returns the message for one frame.

    result: a HandLandmarkerResult, whose lists hand_landmarks, hand_world_landmarks and handedness have an entry per hand.
    """
    hands = []
    for index, landmarks in enumerate(result.hand_landmarks):
        hand = {"topology": "hand21", "space": "normalized", "fields": "xyz", "pts": flat(landmarks)}
        if index < len(result.hand_world_landmarks):
            hand["world"] = flat(result.hand_world_landmarks[index])
        if index < len(result.handedness) and result.handedness[index]:
            side = result.handedness[index][0]
            hand["handedness"] = side.category_name
            hand["handedness_score"] = round(side.score, 6)
        hands.append(hand)
    return {"v": 1, "kind": "hands", "stream": stream, "seq": number, "t_us": time_us, "hands": hands}


def landmarker(mp, options):
    """Creates MediaPipe's hand landmarker. If that fails, prints the reason and exits."""
    vision = mp.tasks.vision
    try:
        return vision.HandLandmarker.create_from_options(
            vision.HandLandmarkerOptions(
                base_options=mp.tasks.BaseOptions(model_asset_path=os.path.abspath(options.model)),
                running_mode=vision.RunningMode.VIDEO, num_hands=options.hands))
    except (RuntimeError, ValueError, OSError) as error:
        sys.exit(f"{options.model} is not a model of the hand landmarker: {error}")


def publisher(zmq, options):
    """Creates the publishing socket. If that fails, prints the reason and exits."""
    socket = zmq.Context.instance().socket(zmq.XPUB)  # like PUB, but also receives subscriptions
    try:
        socket.bind(options.to)
    except zmq.ZMQError as error:
        sys.exit(f"cannot publish at {options.to}: {error}")
    return socket


def run(options, mp, cv2, capture, detector, socket):
    """Publishes messages until the video ends or control-C is pressed."""
    rate = capture.get(cv2.CAP_PROP_FPS) or 30
    last, number, epoch_us = -1, 0, 0
    try:
        if options.video:
            socket.recv()  # waits for a subscription
        began = time.monotonic()
        # Use the computer's clock, because all senders to one receiver need the same clock, and each starts at another time.
        epoch_us = 0 if options.video else time.time_ns() // 1000
        while True:
            is_there, picture = capture.read()
            if not is_there:
                break
            # MediaPipe requires strictly increasing timestamps in milliseconds.
            if options.video:
                time.sleep(max(0, began + number / rate - time.monotonic()))
                last = max(last + 1, int(number / rate * 1000))
            else:
                last = max(last + 1, int((time.monotonic() - began) * 1000))
            image = mp.Image(image_format=mp.ImageFormat.SRGB, data=cv2.cvtColor(picture, cv2.COLOR_BGR2RGB))
            result = detector.detect_for_video(image, last)
            text = json.dumps(message(result, options.stream, number, epoch_us + last * 1000), separators=(",", ":"))
            socket.send_multipart([options.stream.encode(), text.encode()])
            number += 1
    except KeyboardInterrupt:
        pass
    end = {"v": 1, "kind": "hands", "stream": options.stream, "seq": number, "t_us": epoch_us + (last + 1) * 1000, "end": True}
    socket.send_multipart([options.stream.encode(), json.dumps(end).encode()])
    print(number, "images sent", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--video", help="a video file to use instead of the camera")
    parser.add_argument("--camera", type=int, default=0, help="the number of the camera (0)")
    parser.add_argument("--model", default="hand_landmarker.task", help="the model (hand_landmarker.task)")
    parser.add_argument("--to", default="tcp://127.0.0.1:5556", help="where to publish (tcp://127.0.0.1:5556)")
    parser.add_argument("--stream", default="camera", help="the name of the stream and topic (camera)")
    parser.add_argument("--hands", type=int, default=2, help="the maximum number of hands (2)")
    options = parser.parse_args()

    try:
        import mediapipe as mp
        import cv2  # comes with mediapipe
        import zmq
    except ImportError as error:
        sys.exit(f"{error.name} is not installed: python3 -m pip install mediapipe pyzmq")
    if not os.path.isfile(options.model):
        sys.exit(f"no model at {options.model}: get it with\n  curl -o {options.model} {MODEL}")
    capture = cv2.VideoCapture(options.video if options.video else options.camera)
    if not capture.isOpened():
        sys.exit(f"no video can be read from {options.video}" if options.video else
                 f"no camera {options.camera}: choose another with --camera, or use --video FILE")
    socket = publisher(zmq, options)
    with landmarker(mp, options) as detector:
        print("publishing at", socket.getsockopt_string(zmq.LAST_ENDPOINT).rstrip("\0"), flush=True)
        run(options, mp, cv2, capture, detector, socket)


if __name__ == "__main__":
    main()
