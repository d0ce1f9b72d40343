"""Writes MCAP files with Foxglove's own library, and checks our scenes against its definitions.

foxglove_peer.py write LINES FILE HOW   writes the frames of a JSON Lines file, and scenes of its own; HOW is none, lz4 or zstd
foxglove_peer.py check FILE             prints a line for each scene (topic, log time, publish time, sequence, JSON), then what it
                                        has checked
"""

import json
import sys

from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor


def write(lines, path, how):
    import foxglove
    from foxglove.channels import SceneUpdateChannel
    from foxglove.mcap import MCAPCompression, MCAPWriteOptions
    from foxglove.messages import Point3, LinePrimitive, SceneEntity, SceneUpdate

    compression = {"none": None, "lz4": MCAPCompression.Lz4, "zstd": MCAPCompression.Zstd}[how]
    frames = [json.loads(line) for line in open(lines, encoding="utf-8")]
    scenes = SceneUpdateChannel("/drawn")
    channels = {}
    options = MCAPWriteOptions(compression=compression, chunk_size=4096)
    with foxglove.open_mcap(path, writer_options=options):
        for frame in frames:
            stream = frame["stream"]
            if stream not in channels:
                channels[stream] = foxglove.Channel(stream, message_encoding="json")
            time = frame["t_us"] * 1000
            channels[stream].log(frame, log_time=time)
            line = LinePrimitive(points=[Point3(x=1.0, y=2.0, z=3.0)])
            scenes.log(SceneUpdate(entities=[SceneEntity(id=stream, lines=[line])]), log_time=time)
    print("written", len(frames), flush=True)


TYPES = {
    FieldDescriptor.TYPE_DOUBLE: "number",
    FieldDescriptor.TYPE_FIXED32: "integer",
    FieldDescriptor.TYPE_BOOL: "boolean",
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_BYTES: "string",
}


def compare(schema, message, fields):
    """Asserts that a JSON schema has the same fields, with the same types, as a protobuf message, and requires all of them."""
    assert schema["type"] == "object" and schema["title"] == message.full_name, schema["title"]
    names = [field.name for field in message.fields]
    assert sorted(schema["properties"]) == sorted(names) == sorted(schema["required"]), (message.full_name, names)
    for field in message.fields:
        fields.append(f"{message.full_name}.{field.name}")
        value = schema["properties"][field.name]
        if field.is_repeated:
            assert value["type"] == "array", fields[-1]
            value = value["items"]
        if field.type == FieldDescriptor.TYPE_ENUM:
            wanted = [(choice.name, choice.number) for choice in field.enum_type.values]
            assert [(choice["title"], choice["const"]) for choice in value["oneOf"]] == wanted, fields[-1]
        elif field.type != FieldDescriptor.TYPE_MESSAGE:
            assert value["type"] == TYPES[field.type], fields[-1]
            assert ("contentEncoding" in value) == (field.type == FieldDescriptor.TYPE_BYTES), fields[-1]
        elif field.message_type.full_name in ("google.protobuf.Timestamp", "google.protobuf.Duration"):
            assert value["title"] == {"Timestamp": "time", "Duration": "duration"}[field.message_type.name], fields[-1]
            assert sorted(value["properties"]) == ["nsec", "sec"], fields[-1]
        else:
            compare(value, field.message_type, fields)


def as_protobuf(scene):
    """Returns the scene as a protobuf message. Every key must be known and have the right type."""
    from foxglove_schemas_protobuf.SceneUpdate_pb2 import SceneUpdate
    from google.protobuf.duration_pb2 import Duration
    from google.protobuf.timestamp_pb2 import Timestamp

    scene = json.loads(json.dumps(scene))
    for entity in scene["entities"]:
        # Foxglove's JSON writes times as seconds and nanoseconds, protobuf's own JSON as text.
        for key, kind in (("timestamp", Timestamp), ("lifetime", Duration)):
            assert sorted(entity[key]) == ["nsec", "sec"]
            entity[key] = kind(seconds=entity[key]["sec"], nanos=entity[key]["nsec"]).ToJsonString()
    return json_format.ParseDict(scene, SceneUpdate(), ignore_unknown_fields=False)


def check(path):
    import jsonschema
    from foxglove_schemas_protobuf.SceneUpdate_pb2 import SceneUpdate
    from mcap.reader import SeekingReader

    validator, fields, count = None, [], 0
    with open(path, "rb") as file:
        for schema, channel, message in SeekingReader(file, validate_crcs=True).iter_messages():
            if schema.name != "foxglove.SceneUpdate":
                continue
            assert schema.encoding == "jsonschema" and channel.message_encoding == "json"
            if validator is None:
                definition = json.loads(schema.data)
                jsonschema.Draft7Validator.check_schema(definition)
                validator = jsonschema.Draft7Validator(definition)
                compare(definition, SceneUpdate.DESCRIPTOR, fields)
            scene = json.loads(message.data)
            validator.validate(scene)
            for entity in as_protobuf(scene).entities:
                assert all(len(line.colors) == len(line.points) for line in entity.lines)
                assert entity.timestamp.seconds * 1_000_000_000 + entity.timestamp.nanos == message.publish_time
            count += 1
            text = json.dumps(scene, separators=(",", ":"))
            print("scene", channel.topic, message.log_time, message.publish_time, message.sequence, text)
    print("checked", count, "scenes against", len(fields), "fields", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(*sys.argv[2:5])
    else:
        check(sys.argv[2])
