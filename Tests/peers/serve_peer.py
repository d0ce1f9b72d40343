"""Tests a served run with third-party libraries, or attacks it.

    serve_peer.py metrics URL REPORT     checks that prometheus_client reads from /metrics the numbers of a report of the run
    serve_peer.py live URL NODE N        prints N frames of a node from a WebSocket, one a line, then the hello message
    serve_peer.py foxglove URL NODE N    checks N messages of the Foxglove WebSocket protocol by their schemas; prints the channels
    serve_peer.py why URL                checks the explanations of three results of a pipeline pen, segment, match
    serve_peer.py loris URL              checks that connections that never end their request are cut off, while others are answered
    serve_peer.py crowd URL N            makes N connections, then prints whether the server still answers
    serve_peer.py lazy URL N NODES       opens N viewers that watch NODES (a JSON list) and never read, until standard input ends
    serve_peer.py raw URL                sends the JSON string on a line of standard input; prints the first line of the answer
"""

import asyncio
import json
import socket
import sys
import time
import urllib.request
from urllib.parse import urlparse

verb, url = sys.argv[1], sys.argv[2]
place = urlparse(url)


def get(path):
    with urllib.request.urlopen(url.rstrip("/") + path, timeout=20) as answer:
        return answer.headers, answer.read().decode()


def connect(timeout=20):
    return socket.create_connection((place.hostname, place.port), timeout=timeout)


def metrics():
    from prometheus_client.openmetrics.parser import text_string_to_metric_families

    headers, text = get("/metrics")
    assert headers["content-type"].startswith("application/openmetrics-text; version=1.0.0"), headers["content-type"]
    families = {family.name: family for family in text_string_to_metric_families(text)}
    values = {}
    for family in families.values():
        for sample in family.samples:
            assert "stream" not in sample.labels
            key = (sample.name, tuple(sorted((k, v) for k, v in sample.labels.items() if k not in ("component", "role"))))
            assert key not in values, key
            values[key] = sample.value
    report = json.load(open(sys.argv[3]))
    compared = 0
    for node in report["nodes"]:
        wanted = {"received": node["in"], "passed": node["passed"], "absorbed": node["absorbed"], "failed": node["failed"]}
        wanted["lost"] = node["lost"]
        for name, value in wanted.items():
            found = values[("pipeline_node_%s_frames_total" % name, (("node", node["id"]),))]
            assert found == value, (node["id"], name, found, value)
            compared += 1
        for reason, value in node["dropped"].items():
            found = values[("pipeline_node_dropped_frames_total", (("node", node["id"]), ("reason", reason)))]
            assert found == value, (node["id"], reason, found, value)
            compared += 1
    for edge in report["edges"]:
        labels = (("from", edge["from"]), ("to", edge["to"]))
        for name in ("offered", "taken"):
            found = values[("pipeline_edge_%s_frames_total" % name, labels)]
            assert found == edge[name], (labels, name, found, edge[name])
            compared += 1
        for reason, value in edge["dropped"].items():
            found = values[("pipeline_edge_dropped_frames_total", labels + (("reason", reason),))]
            assert found == value, (labels, reason, found, value)
            compared += 1
    histograms = [family for family in families.values() if family.type == "histogram" and family.samples]
    assert histograms
    print(compared, "numbers equal;", len(histograms), "histograms;", *sorted(families["pipeline_build"].samples[0].labels))


async def live():
    import websockets

    async with websockets.connect(url.replace("http", "ws").rstrip("/") + "/api/live") as feed:
        hello = json.loads(await feed.recv())
        await feed.send(json.dumps({"op": "watch", "nodes": [sys.argv[3]], "rate": 60}))
        left = int(sys.argv[4])
        while left > 0:
            message = json.loads(await asyncio.wait_for(feed.recv(), 20))
            if message["op"] != "frame":
                continue
            print(json.dumps(message["payload"], separators=(",", ":"), ensure_ascii=False))
            left -= 1
        print(json.dumps(hello))


async def why():
    import websockets

    asked = 0
    async with websockets.connect(url.replace("http", "ws").rstrip("/") + "/api/live") as feed:
        while asked < 3:
            event = json.loads(await asyncio.wait_for(feed.recv(), 20))
            # Frames from before the first viewer are not kept, so the first results may have no explanation.
            if event["op"] != "result" or event["seq"] < 60:
                continue
            answer = json.loads(await asyncio.to_thread(lambda: get("/api/why?id=%d" % event["id"])[1]))
            if not answer["possible"]:
                continue
            assert answer["same"], answer
            assert answer["result"]["seq"] == event["seq"] and answer["result"]["payload"]["categories"]
            assert [step["node"] for step in answer["steps"]] == ["pen", "segment", "match"], answer["steps"]
            points, strokes, results = [step["frames"] for step in answer["steps"]]
            assert points[0]["payload"]["phase"] == "begin" and len(strokes) == 1 and len(results) == 1
            assert results[0]["payload"] == answer["result"]["payload"]
            assert answer["subject"]["node"] == "segment" and answer["subject"]["payload"] == strokes[0]["payload"]
            candidates = answer["candidates"]
            assert len(candidates) == 5 and len({one["label"] for one in candidates}) == 5
            assert [one["score"] for one in candidates] == sorted((one["score"] for one in candidates), reverse=True)
            assert all(one["points"]["kind"] == "stroke" for one in candidates)
            assert answer["accepted"] == event["accepted"]
            if event["accepted"]:
                assert candidates[0]["label"] == event["label"]
                assert abs(candidates[0]["score"] - event["score"]) < 1e-6
                assert answer["sentence"].startswith("Accepted as " + event["label"])
            else:
                assert answer["sentence"].startswith("Rejected")
            by_name = json.loads(get("/api/why?node=match&stream=%s&seq=%d" % (event["stream"].replace("/", "%2F"), event["seq"]))[1])
            assert by_name["sentence"] == answer["sentence"]
            asked += 1
        missing = json.loads(get("/api/why?id=999999999")[1])
        assert missing["possible"] is False and missing["reason"]
    print(asked, "asked")


async def foxglove():
    import struct

    import foxglove_peer
    import jsonschema
    import websockets

    node, left = sys.argv[3], int(sys.argv[4])
    async with websockets.connect(
        url.replace("http", "ws"), subprotocols=["foxglove.websocket.v1"], max_size=None
    ) as feed:
        assert feed.subprotocol == "foxglove.websocket.v1"
        info = json.loads(await feed.recv())
        assert info["op"] == "serverInfo" and set(info["capabilities"]) == {"time", "connectionGraph"}, info
        advertised = json.loads(await feed.recv())
        assert advertised["op"] == "advertise"
        channels = {channel["topic"]: channel for channel in advertised["channels"]}
        assert len({channel["id"] for channel in advertised["channels"]}) == len(channels)
        wanted = {7: "/" + node, 9: "/" + node + "/scene"}
        await feed.send(
            json.dumps(
                {"op": "subscribe", "subscriptions": [{"id": id, "channelId": channels[topic]["id"]} for id, topic in wanted.items()]}
            )
        )
        await feed.send(json.dumps({"op": "subscribeConnectionGraph"}))
        counts, times, graph = {7: 0, 9: 0}, [], None
        while min(counts.values()) < left or len(times) < 3 or graph is None:
            message = await asyncio.wait_for(feed.recv(), 20)
            if isinstance(message, str):
                message = json.loads(message)
                assert message["op"] == "connectionGraphUpdate", message
                graph = message
            elif message[0] == 2:
                times.append(struct.unpack("<BQ", message)[1])
            else:
                opcode, id, time = struct.unpack("<BIQ", message[:13])
                assert opcode == 1
                channel = channels[wanted[id]]
                assert channel["encoding"] == "json" and channel["schemaEncoding"] == "jsonschema"
                jsonschema.validate(json.loads(message[13:]), json.loads(channel["schema"]))
                if channel["schemaName"] == "foxglove.SceneUpdate":
                    # Foxglove's own definition must know every key, with the right type.
                    scene = foxglove_peer.as_protobuf(json.loads(message[13:]))
                    assert scene.entities[0].lines, scene
                counts[id] += 1
        assert times == sorted(times)
        await feed.send(json.dumps({"op": "unsubscribe", "subscriptionIds": [7, 9]}))

        async def status():
            while True:
                message = await asyncio.wait_for(feed.recv(), 20)
                if isinstance(message, str):
                    message = json.loads(message)
                    assert message["op"] == "status", message
                    return message["message"]

        await feed.send(json.dumps({"op": "nonsense"}))
        assert await status() == "the op nonsense is not supported"
        quiet = channels["/quiet"]["id"]
        for ids in (range(1001), [2000]):
            many = [{"id": id, "channelId": quiet} for id in ids]
            await feed.send(json.dumps({"op": "subscribe", "subscriptions": many}))
            told = await status()
            assert "at most 1000 subscriptions" in told, told
        await feed.send(json.dumps({"op": "unsubscribe", "subscriptionIds": [5]}))
        await feed.send(json.dumps({"op": "subscribe", "subscriptions": [{"id": 6, "channelId": quiet}]}))
        told = await status()
        assert "a new id" in told, told
        published = {topic["name"]: topic["publisherIds"] for topic in graph["publishedTopics"]}
        assert published["/" + node] == [node]
        for topic in sorted(channels):
            print(topic, channels[topic]["schemaName"])


def loris():
    slow = [connect() for _ in range(20)]
    for one in slow:
        one.sendall(b"GET /api/state HTTP/1.1\r\nHost: ")
    began = time.monotonic()
    open_ones = set(slow)
    answered = 0
    # Each connection sends a byte per second. None may stay open for longer than a request may take.
    while open_ones and time.monotonic() - began < 40:
        for one in list(open_ones):
            try:
                one.sendall(b"a")
                one.setblocking(False)
                if one.recv(1000) == b"":
                    open_ones.discard(one)
            except BlockingIOError:
                pass
            except OSError:
                open_ones.discard(one)
            finally:
                one.setblocking(True)
        assert get("/healthz")[1] == "ok\n"
        answered += 1
        time.sleep(1)
    print(len(open_ones), "left")
    assert answered > 0 and time.monotonic() - began < 40


def crowd():
    answered = 0
    kept = []
    for number in range(int(sys.argv[3])):
        try:
            one = connect(timeout=5)
            kept.append(one)
        except OSError:
            pass
        if len(kept) == 500:
            for one in kept:
                one.close()
            kept = []
    for one in kept:
        one.close()
    for _ in range(100):
        try:
            assert get("/healthz")[1] == "ok\n"
            answered += 1
            break
        except OSError:
            time.sleep(0.1)
    print("answered" if answered else "silent")


def lazy():
    feeds = []
    for _ in range(int(sys.argv[3])):
        one = connect()
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.sendall(
            (
                "GET /api/live HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n" % place.netloc
            ).encode()
        )
        wish = json.dumps({"op": "watch", "nodes": json.loads(sys.argv[4]), "rate": 60}).encode()
        one.sendall(bytes([0x81, 0x80 | 126, len(wish) >> 8, len(wish) & 255, 0, 0, 0, 0]) + wish)
        feeds.append(one)
    print("there", flush=True)
    sys.stdin.read()


def raw():
    """Sends a text, and prints the first line of the answer; "closed" or "silent" if there is none."""
    one = connect()
    one.sendall(json.loads(sys.stdin.readline()).encode("latin-1"))
    heard, without = b"", "closed"
    try:
        while b"\n" not in heard:
            part = one.recv(1000)
            if not part:
                break
            heard += part
    except TimeoutError:
        without = "silent"
    except ConnectionError:
        pass
    print(heard.decode("latin-1").split("\r\n")[0] or without)


if verb in ("live", "foxglove", "why"):
    asyncio.run(globals()[verb]())
else:
    globals()[verb]()
