"""Sends the hands that MediaPipe sees to a pipeline.

    python3 mediapipe_sender.py [--video FILE] [--model hand_landmarker.task] [--to ENDPOINT]

Publishes one message for every picture of the camera (or of the video): all hands with their landmarks, in the project's
own format. Needs `python3 -m pip install mediapipe pyzmq` and the model, which MediaPipe offers at
https://storage.googleapis.com/mediapipe-models/hand_landmarker/hand_landmarker/float16/latest/hand_landmarker.task

A pipeline reads it with: zmq: { connect: "tcp://127.0.0.1:5556", socket: sub, kind: hands }
"""

import argparse
import json
import time


def flat(landmarks):
    """x, y, z of one landmark after the other."""
    return [round(number, 6) for point in landmarks for number in (point.x, point.y, point.z)]


def message(result, stream, number, time_us):
    """What is sent for one picture.

    result: a HandLandmarkerResult: hand_landmarks, hand_world_landmarks and handedness, a list entry for each hand.
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--video", help="a file in the place of the camera")
    parser.add_argument("--camera", type=int, default=0, help="the number of the camera (0)")
    parser.add_argument("--model", default="hand_landmarker.task", help="the model (hand_landmarker.task)")
    parser.add_argument("--to", default="tcp://127.0.0.1:5556", help="where to publish (tcp://127.0.0.1:5556)")
    parser.add_argument("--stream", default="camera", help="the name of the stream, which is the topic (camera)")
    parser.add_argument("--hands", type=int, default=2, help="how many hands to look for (2)")
    options = parser.parse_args()

    import cv2
    import mediapipe as mp
    import zmq

    vision = mp.tasks.vision
    landmarker = vision.HandLandmarker.create_from_options(
        vision.HandLandmarkerOptions(
            base_options=mp.tasks.BaseOptions(model_asset_path=options.model),
            running_mode=vision.RunningMode.VIDEO, num_hands=options.hands))
    socket = zmq.Context.instance().socket(zmq.PUB)
    socket.bind(options.to)
    capture = cv2.VideoCapture(options.video if options.video else options.camera)
    rate = capture.get(cv2.CAP_PROP_FPS) or 30
    began = time.monotonic()
    last = -1
    number = 0
    try:
        while capture.isOpened():
            is_there, picture = capture.read()
            if not is_there:
                break
            seconds = number / rate if options.video else time.monotonic() - began
            # MediaPipe takes milliseconds, each later than the one before.
            last = max(last + 1, int(seconds * 1000))
            image = mp.Image(image_format=mp.ImageFormat.SRGB, data=cv2.cvtColor(picture, cv2.COLOR_BGR2RGB))
            result = landmarker.detect_for_video(image, last)
            text = json.dumps(message(result, options.stream, number, last * 1000), separators=(",", ":"))
            socket.send_multipart([options.stream.encode(), text.encode()])
            number += 1
    except KeyboardInterrupt:
        pass
    finally:
        end = {"v": 1, "kind": "hands", "stream": options.stream, "seq": number, "t_us": (last + 1) * 1000, "end": True}
        socket.send_multipart([options.stream.encode(), json.dumps(end).encode()])
        capture.release()
        landmarker.close()


if __name__ == "__main__":
    main()
