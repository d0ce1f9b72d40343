import Pipeline
import Testing

@testable import Connectors
@testable import Stages

/// Returns the result of decoding a message with a new decoder.
func decoded<P: WirePayload>(
    _ type: P.Type, _ text: some StringProtocol, landmarks: LandmarkTraits = LandmarkTraits(),
    receivedAt: Int64? = 7, _ change: (inout DecodeOptions) throws -> Void
) throws -> DecodedMessage<P> {
    try decoded(type, bytes: Array(text.utf8), landmarks: landmarks, receivedAt: receivedAt, change)
}

/// Returns the result of decoding bytes with a new decoder.
func decoded<P: WirePayload>(
    _ type: P.Type, bytes: [UInt8], landmarks: LandmarkTraits = LandmarkTraits(), receivedAt: Int64? = 7,
    _ change: (inout DecodeOptions) throws -> Void
) throws -> DecodedMessage<P> {
    var options = DecodeOptions()
    try change(&options)
    var decoder = try MessageDecoder<P>(options, defaultStream: "camera", landmarks: landmarks)
    return try withPadded(bytes) { try decoder.decode($0, receivedAt: receivedAt) }
}

/// The points of a hand as ``SenderMessages`` writes them.
private let hand = (0..<21).map { Landmarks.Point(x: Double($0), y: Double($0) / 10, z: -Double($0) / 100) }

@Suite("Messages of known senders")
struct DecodePresetTests {
    @Test("Messages of MediaPipe for the web give hands with world coordinates")
    func web() throws {
        let message = try decoded(Hands.self, SenderMessages.mediaPipeWeb) { $0.preset = .mediapipe }
        let frame = try #require(message.frame)
        let expected = Landmarks(
            topology: "hand21", space: "normalized", points: hand, world: hand, handedness: "Left",
            handednessScore: 0.9375)
        #expect(frame.payload.hands == [expected])
        #expect(frame.stream == "camera" && frame.timestamp.rawValue == 7)
        #expect(frame.origin?.isStamped == true && frame.origin?.clock == "receipt")
    }

    @Test("Messages of MediaPipe for Python give every hand with its handedness")
    func python() throws {
        let message = try decoded(Hands.self, SenderMessages.mediaPipePython) { $0.preset = .mediapipe }
        let frame = try #require(message.frame)
        #expect(frame.payload.hands.map(\.handedness) == ["Right", "Left"])
        #expect(frame.payload.hands.map(\.handednessScore) == [0.9375, 0.875])
        #expect(frame.payload.hands.allSatisfy { $0.points == hand && $0.world == hand && $0.confidences.isEmpty })
        #expect(frame.timestamp == .microseconds(40_000) && frame.origin?.isStamped != true)
    }

    @Test("Messages of MediaPipe's older packages are read too")
    func legacy() throws {
        for text in [SenderMessages.mediaPipeLegacy, SenderMessages.mediaPipeLegacyWeb] {
            let hands = try decoded(Hands.self, text) { $0.preset = .mediapipe }.frame?.payload.hands
            #expect(hands?.map(\.points) == [hand])
            #expect(hands?.map(\.handedness) == ["Left"])
            #expect(hands?.map(\.handednessScore) == [0.9375])
        }
        let holistic = try decoded(Hands.self, SenderMessages.holistic) { $0.preset = .mediapipe }
        #expect(holistic.frame?.payload.hands.map(\.handedness) == ["Right"])
        #expect(holistic.frame?.payload.hands.map(\.points) == [hand])
    }

    @Test(
        "Messages without a detection give a frame without hands if the kind is hands, and no frame if it is landmarks")
    func nobody() throws {
        let hands = try decoded(Hands.self, SenderMessages.mediaPipeNobody) { $0.preset = .mediapipe }
        #expect(hands.frame?.payload.hands == [])
        let landmarks = try decoded(Landmarks.self, SenderMessages.mediaPipeNobody) { $0.preset = .mediapipe }
        #expect(landmarks.frame == nil && landmarks.emptyAt?.rawValue == 7 && !landmarks.endsStream)
        let people = try decoded(Hands.self, #"{"version":1.3,"people":[]}"#) { $0.preset = .openpose }
        #expect(people.frame?.payload.hands == [])
    }

    @Test("Messages of OpenPose give the detected hands, or the first body")
    func openPose() throws {
        let hands = try decoded(Hands.self, SenderMessages.openPose) { $0.preset = .openpose }.frame?.payload.hands
        #expect(hands?.map(\.handedness) == ["Left"])
        #expect(hands?.first?.points == hand.map { .init(x: $0.x, y: $0.y) })
        #expect(hands?.first?.confidences == [Double](repeating: 0.5, count: 21))
        #expect(hands?.first?.space == "pixels" && hands?.first?.hasDepth == false)
        let body = try decoded(Landmarks.self, SenderMessages.openPose) { $0.preset = .openpose }.frame?.payload
        #expect(body?.points.count == 25)
        let topology = try Topology(identifier: body?.topology ?? "")
        #expect(topology.name == "body25" && topology.place(of: "leftBigToe") == 19)
    }

    /// Points as ``SenderMessages/openPose3D`` writes them.
    private func reconstructed(_ count: Int, _ sign: Double = 1) -> [Landmarks.Point] {
        (0..<count).map {
            $0 == 3
                ? .init(x: 0, y: 0)
                : .init(x: sign * Double($0) / 64, y: Double($0) / 32, z: 2 + Double($0) / 8)
        }
    }

    @Test("Messages of OpenPose in three dimensions give world coordinates of each reconstructed hand and body")
    func openPose3D() throws {
        let hands = try decoded(Hands.self, SenderMessages.openPose3D) { $0.preset = .openpose }.frame?.payload.hands
        #expect(hands?.map(\.handedness) == ["Left", "Right", "Left"])
        #expect(hands?.map(\.world) == [reconstructed(21), reconstructed(21, -1), []])
        let flat = hand.map { Landmarks.Point(x: $0.x, y: $0.y) }
        #expect(hands?.allSatisfy { $0.points == flat && $0.space == "pixels" && $0.confidences.first == 0.5 } == true)
        let body = try decoded(Landmarks.self, SenderMessages.openPose3D) { $0.preset = .openpose }.frame?.payload
        #expect(body?.points.count == 25 && body?.world == reconstructed(25))
    }

    @Test("Messages give world coordinates as the points, with confidences, if the option space is world")
    func worldSpace() throws {
        var traits = LandmarkTraits()
        traits.space = .world
        let scores = (0..<25).map { $0 == 3 ? 0.0 : 1 }
        let hands = try decoded(Hands.self, SenderMessages.openPose3D, landmarks: traits) { $0.preset = .openpose }
            .frame?.payload.hands
        #expect(hands?.map(\.handedness) == ["Left", "Right"])
        #expect(hands?.map(\.points) == [reconstructed(21), reconstructed(21, -1)])
        #expect(hands?.map(\.confidences) == [Array(scores[..<21]), Array(scores[..<21])])
        #expect(hands?.allSatisfy { $0.space == "world" && $0.hasDepth && $0.world.isEmpty } == true)
        let body = try decoded(Landmarks.self, SenderMessages.openPose3D, landmarks: traits) { $0.preset = .openpose }
            .frame?.payload
        #expect(body?.points == reconstructed(25) && body?.confidences == scores)
        // Without world coordinates, a message of OpenPose gives no hands, and a message of MediaPipe Holistic is refused
        // (below).
        let flat = try decoded(Hands.self, SenderMessages.openPose, landmarks: traits) { $0.preset = .openpose }
        #expect(flat.frame?.payload.hands == [])
        let media = try decoded(Hands.self, SenderMessages.mediaPipeWeb, landmarks: traits) { $0.preset = .mediapipe }
        #expect(media.frame?.payload.hands.map(\.points) == [hand])
        #expect(media.frame?.payload.hands.first?.space == "world")
        #expect {
            try decoded(Hands.self, SenderMessages.holistic, landmarks: traits) { $0.preset = .mediapipe }
        } throws: {
            ($0 as? PipelineError)?.message.hasPrefix("the message has no \"hand_world_landmarks[*]\"") == true
        }
        // If the configuration names the field with the points, this field is used, even if the preset knows world coordinates.
        let explicit = try decoded(Hands.self, SenderMessages.mediaPipeWeb, landmarks: traits) {
            $0.preset = .mediapipe
            $0.points = [try FieldPath("landmarks[*]")]
        }
        #expect(explicit.frame?.payload.hands.map(\.points) == [hand])
    }

    @Test("Messages of Pupil Core give gaze points, with times read in seconds")
    func pupil() throws {
        let json: (inout DecodeOptions) -> Void = {
            $0.preset = .pupil
            $0.format = .json
        }
        let gaze = try decoded(Landmarks.self, SenderMessages.pupil, json).frame
        #expect(gaze?.timestamp == .microseconds(1_234_567_891))
        #expect(gaze?.payload.points == [.init(x: 0.25, y: 0.75)] && gaze?.payload.score == 0.9375)
        #expect(gaze?.payload.topology == "eye(gaze)" && gaze?.payload.space == "normalized")
        #expect(gaze?.origin?.unknown.map(\.key) == ["topic", "gaze_point_3d", "base_data"])
        let point = try decoded(Points.self, SenderMessages.pupil, json).frame?.payload
        #expect(point?.samples == [Sample(x: 0.25, y: 0.75)] && point?.phase == .move)
    }

    @Test("Messages of 63 numbers give a hand: a bare list or one under a key in JSON, a row in CSV and text")
    func flat63() throws {
        let numbers = String(SenderMessages.flat.dropFirst().dropLast())
        let shapes: [(String, DecodeOptions.Format?)] = [
            (SenderMessages.flat, nil), ("{\"landmarks\":\(SenderMessages.flat)}", nil), (numbers, .csv),
            (numbers.replacing(",", with: " "), .text), (numbers + "\r\n", .csv),
        ]
        for (text, format) in shapes {
            let message = try decoded(Hands.self, text) {
                $0.preset = .flat63
                $0.format = format
            }
            #expect(message.frame?.payload.hands.map(\.points) == [hand], "\(text.prefix(40))")
        }
    }

    @Test(
        "decode: a preset stands for options that a configuration could contain",
        arguments: DecodePreset.allCases)
    func options(preset: DecodePreset) throws {
        for kind in [PayloadKind.hands, .landmarks] {
            let written = preset.options(for: kind)
            #expect(written.preset == nil)
            for (_, _, paths) in written.paths {
                for path in paths { #expect(try FieldPath(path.description) == path) }
            }
            #expect(written.isMapped)
        }
    }
}

@Suite("Messages of any shape")
struct MappedDecoderTests {
    @Test(
        "Messages give a hand from points of any shape",
        arguments: [
            ("left[*]", "{\"left\":\(SenderMessages.rows)}"), ("left[*]", "{\"left\":\(SenderMessages.points())}"),
            ("left", "{\"left\":\(SenderMessages.rows)}"), ("left", "{\"left\":\(SenderMessages.flat)}"),
            ("a.b[1]", "{\"a\":{\"b\":[7,\(SenderMessages.rows)]}}"), ("$", SenderMessages.rows),
            ("$[*]", SenderMessages.points()), ("$[1].p", "[null,{\"p\":\(SenderMessages.flat)}]"),
            ("hands[*].p", "{\"hands\":[{\"p\":\(SenderMessages.rows)}]}"),
            ("hands[*].p[*]", "{\"hands\":[{\"p\":\(SenderMessages.rows)}]}"),
            ("hands[*]", "{\"hands\":[\(SenderMessages.flat)]}"), ("none", "{\"left\":\(SenderMessages.rows)}"),
        ])
    func shapes(path: String, text: String) throws {
        let message = { try decoded(Hands.self, text) { $0.points = [try FieldPath(path)] } }
        guard path != "none" else {
            #expect { try message() } throws: { ($0 as? PipelineError)?.code == "decode.missing" }
            return
        }
        #expect(try message().frame?.payload.hands.map(\.points) == [hand])
    }

    @Test(
        "Messages give the other values of a hand from fields beside its points, or from another list at the same index"
    )
    func belongings() throws {
        let text = """
            {"h":[{"p":\(SenderMessages.rows),"side":"r","sure":0.5,"id":4,"c":0.25},{"p":\(SenderMessages.rows),"side":"LEFT"}],\
            "w":[[],\(SenderMessages.flat)]}
            """
        let hands = try decoded(Hands.self, text) {
            $0.points = [try FieldPath("h[*].p")]
            $0.handedness = [try FieldPath("h[*].side")]
            $0.score = [try FieldPath("h[*].sure")]
            $0.track = [try FieldPath("h[*].id")]
            $0.confidences = [try FieldPath("h[*].c")]
            $0.world = [try FieldPath("w[*]")]
        }.frame?.payload.hands
        #expect(hands?.map(\.handedness) == ["Right", "Left"])
        #expect(hands?.map(\.score) == [0.5, nil] && hands?.map(\.track) == [4, nil])
        #expect(hands?.map(\.world) == [[], hand])
        #expect(hands?.map(\.confidences) == [[Double](repeating: 0.25, count: 21), []])
    }

    @Test("Messages give time, sequence number, stream and label from the configured paths")
    func envelope() throws {
        let text = #"{"head":{"t":12.5,"n":41},"dev":3,"what":"circle","xs":[[1,2],[3,4]],"more":{"a":[1]},"n":null}"#
        let message = try decoded(Stroke.self, text) {
            $0.points = [try FieldPath("xs")]
            $0.t = [try FieldPath("missing"), try FieldPath("head.t")]
            $0.tUnit = .s
            $0.seq = [try FieldPath("head.n")]
            $0.stream = [try FieldPath("dev")]
            $0.label = [try FieldPath("what")]
        }
        let frame = try #require(message.frame)
        #expect(frame.timestamp.rawValue == 12_500_000 && frame.sequence == 41 && frame.stream == "3")
        #expect(frame.payload.label == "circle" && frame.payload.samples.map(\.y) == [2, 4])
        #expect(
            frame.origin?.unknown.map(\.key) == ["more", "n"] && frame.origin?.unknown.first?.json == #"{"a":[1]}"#)
        #expect(message.sequence == 41)
    }

    @Test(
        "A label beside the points of each stroke of a list is the label of the gesture, and one beside each hand is its own"
    )
    func labelsOfElements() throws {
        let gesture = #"{"parts":[{"is":"cross","pts":[[1,2],[3,4]]},{"is":"cross","pts":[[5,6]]}]}"#
        let stroke = try decoded(Stroke.self, gesture) {
            $0.points = [try FieldPath("parts[*].pts")]
            $0.label = [try FieldPath("parts[*].is")]
        }.frame?.payload
        #expect(stroke?.label == "cross" && stroke?.samples.count == 3)
        let points = (0..<21).map { "[\($0),\($0)]" }.joined(separator: ",")
        let text = #"{"h":[{"is":"open","pts":[\#(points)]},{"is":"fist","pts":[\#(points)]}]}"#
        let hands = try decoded(Hands.self, text) {
            $0.points = [try FieldPath("h[*].pts")]
            $0.label = [try FieldPath("h[*].is")]
        }.frame?.payload.hands
        #expect(hands?.map(\.label) == ["open", "fist"])
    }

    @Test(
        "Messages of samples keep absolute times; with relative times, the last sample gets the time of receipt",
        arguments: [
            ("[[1,2,100],[3,4,108]]", 100_000, 108_000, 8000.0), ("[[1,2,0],[3,4,8]]", 492_000, 500_000, 8000.0),
        ])
    func sampleTimes(points: String, start: Int64, end: Int64, length: Double) throws {
        let frame = try decoded(Stroke.self, points, receivedAt: 500_000) {
            $0.points = [try FieldPath("$")]
            $0.fields = try PointFields("xyt")
            $0.tUnit = .ms
        }.frame
        #expect(frame?.timestamp.rawValue == end && frame?.payload.start.rawValue == start)
        #expect(frame?.payload.samples.last?.t == length)
    }

    @Test(
        "Messages of samples with times beyond any timestamp are refused, in JSON and in MessagePack",
        arguments: [
            "[[0,0,0],[1,1,1e300]]", "[[0,0,0],[1,1,-1e300]]", "[[0,0,1e300],[1,1,0]]", "[[0,0,0],[1,1,1e17]]",
            "[[0,0,1.7e308],[1,1,-1.7e308]]",
        ],
        [DecodeOptions.Format.json, .msgpack])
    func farSamples(points: String, format: DecodeOptions.Format) throws {
        let text = Array(#"{"time":1,"pts":\#(points)}"#.utf8)
        let bytes = format == .json ? text : try withPadded(text) { try MessagePackWriter().write($0) { Array($0) } }
        for hasTime in [true, false] {
            #expect {
                try decoded(Stroke.self, bytes: bytes) {
                    $0.format = format
                    $0.points = [try FieldPath("pts")]
                    $0.fields = try PointFields("xyt")
                    if hasTime { $0.t = [try FieldPath("time")] }
                    $0.tUnit = .s
                }
            } throws: {
                ($0 as? PipelineError)?.code == "decode.range"
            }
        }
    }

    @Test("A message that is itself a point is read, whatever other fields it has")
    func pointItself() throws {
        let frame = try decoded(Points.self, #"{"type":"mousedown","x":3,"y":4,"pressure":0.5,"ms":12,"id":9}"#) {
            $0.points = [try FieldPath("$")]
            $0.t = [try FieldPath("ms")]
            $0.tUnit = .ms
            $0.phase = [try FieldPath("type")]
            $0.stroke = [try FieldPath("id")]
        }.frame
        #expect(frame?.payload.samples == [Sample(x: 3, y: 4, p: 0.5)])
        #expect(frame?.payload.phase == .begin && frame?.payload.stroke == 9)
        #expect(frame?.payload.fields == .pressure && frame?.timestamp == .microseconds(12_000))
    }

    @Test(
        "Messages of the end of a stroke need no points, and other messages of pieces do",
        arguments: [("up", Points.Phase.end), ("pointercancel", .cancel), ("move", nil), ("nonsense", nil)])
    func penUp(word: String, phase: Points.Phase?) throws {
        let options: (inout DecodeOptions) throws -> Void = {
            ($0.points, $0.phase) = ([try FieldPath("pts")], [try FieldPath("type")])
            ($0.t, $0.tUnit) = ([try FieldPath("t")], .s)
        }
        let text = "{\"type\":\"\(word)\",\"t\":1.5}"
        guard let phase else {
            let error = #expect(throws: PipelineError.self) { try decoded(Points.self, text, options) }
            #expect(error?.code == "decode.missing")
            return
        }
        let frame = try decoded(Points.self, text, options).frame
        #expect(frame?.payload.phase == phase && frame?.payload.samples == [])
        #expect(frame?.timestamp == .microseconds(1_500_000))
    }

    @Test(
        "Messages that declare the meaning of a point's numbers may have a list for each point, before or after the declaration",
        arguments: [
            #"{"columns":"xyc","pts":[[1,2,0.5],[3,4,0.25]]}"#, #"{"pts":[[1,2,0.5],[3,4,0.25]],"columns":"xyc"}"#,
            #"{"pts":[1,2,0.5,3,4,0.25],"columns":"xyc"}"#, #"{"columns":"cxy","pts":[[0.5,1,2],[0.25,3,4]]}"#,
            #"{"columns":"xyc","pts":[ [1,2,5e-1], [3, 4,0.25]]}"#,
        ])
    func declaredLayout(text: String) throws {
        var traits = LandmarkTraits()
        traits.topology = TopologyName(try Topology(identifier: "tool(a,b)"))
        let options: (inout DecodeOptions) throws -> Void = {
            ($0.points, $0.layout) = ([try FieldPath("pts")], [try FieldPath("columns")])
        }
        let payload = try decoded(Landmarks.self, text, landmarks: traits, options).frame?.payload
        #expect(payload?.points == [.init(x: 1, y: 2), .init(x: 3, y: 4)])
        #expect(payload?.confidences == [0.5, 0.25] && payload?.hasDepth == false)
        // Without the declaration, lists have their usual meaning.
        let usual = try decoded(Landmarks.self, #"{"pts":[[1,2,3],[4,5,6]]}"#, landmarks: traits, options).frame
        #expect(usual?.payload.points == [.init(x: 1, y: 2, z: 3), .init(x: 4, y: 5, z: 6)])
        for wrong in [#"{"pts":[[1,2],[3,4]],"columns":"xyc"}"#, #"{"pts":[[1,2],[3,4,5]],"columns":"xyc"}"#] {
            let error = #expect(throws: PipelineError.self) {
                try decoded(Landmarks.self, wrong, landmarks: traits, options)
            }
            #expect(error?.code == "decode.count")
        }
    }

    @Test("Messages give a value outside of every [*] to all sets of points, unless a set has its own")
    func sharedValues() throws {
        var traits = LandmarkTraits()
        traits.topology = TopologyName(try Topology(identifier: "hand(a,b)"))
        let people =
            #"{"columns":"xyc","sure":0.5,"room":"pixels","id":7,"people":[{"pts":[1,2,0.5,3,4,0.25]},"#
            + #"{"pts":[5,6,1,7,8,1],"sure":0.75}]}"#
        let all = try decoded(Hands.self, people, landmarks: traits) {
            $0.points = [try FieldPath("people[*].pts")]
            ($0.layout, $0.space) = ([try FieldPath("columns")], [try FieldPath("room")])
            ($0.handednessScore, $0.track) = ([try FieldPath("sure")], [try FieldPath("id")])
        }.frame?.payload.hands
        #expect(all?.map(\.track) == [nil, nil], "two hands are not the same object")
        let one = try decoded(Hands.self, #"{"id":7,"people":[{"pts":[[1,2],[3,4]]}]}"#, landmarks: traits) {
            ($0.points, $0.track) = ([try FieldPath("people[*].pts")], [try FieldPath("id")])
        }.frame?.payload.hands
        #expect(one?.map(\.track) == [7])
        #expect(all?.map(\.confidences) == [[0.5, 0.25], [1, 1]])
        #expect(all?.map(\.handednessScore) == [0.5, 0.5] && all?.map(\.space) == ["pixels", "pixels"])
        let own = try decoded(Hands.self, people, landmarks: traits) {
            $0.points = [try FieldPath("people[*].pts")]
            $0.layout = [try FieldPath("columns")]
            $0.handednessScore = [try FieldPath("people[*].sure")]
        }.frame?.payload.hands
        #expect(own?.map(\.handednessScore) == [nil, 0.75])
        let sides = try decoded(
            Hands.self, #"{"l":[1,2,0.5,3,4,0.25],"r":[5,6,1,7,8,1],"columns":"xyc","sure":0.5}"#, landmarks: traits
        ) {
            ($0.left, $0.right) = ([try FieldPath("l")], [try FieldPath("r")])
            ($0.layout, $0.handednessScore) = ([try FieldPath("columns")], [try FieldPath("sure")])
        }.frame?.payload.hands
        #expect(sides?.map(\.handedness) == ["Left", "Right"])
        #expect(sides?.map(\.handednessScore) == [0.5, 0.5])
        #expect(sides?.map(\.confidences) == [[0.5, 0.25], [1, 1]])
        let nested = try decoded(
            Hands.self, #"{"people":[{"name":"a","hands":[[[1,2],[3,4]]]},{"name":"b","hands":[[[5,6],[7,8]]]}]}"#,
            landmarks: traits
        ) {
            ($0.points, $0.label) = ([try FieldPath("people[*].hands[*]")], [try FieldPath("people[*].name")])
        }.frame?.payload.hands
        #expect(nested?.map(\.label) == ["a", "b"])
    }

    @Test("Messages of any shape can give vectors, and can end a stream")
    func vectors() throws {
        let options: (inout DecodeOptions) throws -> Void = {
            $0.values = [try FieldPath("f")]
            $0.end = [try FieldPath("last")]
        }
        let message = try decoded(FeatureVector.self, #"{"f":[1,-2.5],"last":true}"#, options)
        #expect(message.frame?.payload.values == [1, -2.5] && message.endsStream)
        let end = try decoded(FeatureVector.self, #"{"last":true}"#, options)
        #expect(end.frame == nil && end.endsStream && end.emptyAt == nil)
    }

    @Test(
        "Messages of rows of numbers give samples if the options name the columns by number",
        arguments: [
            (DecodeOptions.Format.csv, "1.5,2,30,pen\n2.5,3,40,pen", 2),
            (.text, "  1.5 2\t30 pen \r\n2.5 3 40 pen\n", 2),
        ])
    func rows(format: DecodeOptions.Format, text: String, count: Int) throws {
        let frame = try decoded(Stroke.self, text) {
            $0.format = format
            ($0.columns.x, $0.columns.y, $0.columns.t) = (.number(1), .number(2), .number(3))
            $0.columns.stream = .number(4)
            $0.tUnit = .ms
        }.frame
        #expect(frame?.payload.samples == [Sample(x: 1.5, y: 2, t: 0), Sample(x: 2.5, y: 3, t: 10_000)])
        #expect(frame?.stream == "pen" && frame?.timestamp == .microseconds(40_000))
    }

    @Test(
        "Messages of rows may have quoted cells with any content (RFC 4180)",
        arguments: [
            (DecodeOptions.Format.csv, "1.5,\"2\",\"pen, \"\"red\"\"\"\n2.5,3,\"pen, \"\"red\"\"\"", "pen, \"red\""),
            (.csv, "1.5,2,\"two\nlines\"\r\n2.5,3, \"two\r\nlines\" \r\n", "two\nlines"),
            (.csv, "1.5,2,\"\"\"\"\n\n2.5,3,\"\"\"\",\n", "\""),
            (.text, "\"1.5\" 2 \"a  pen\"\n 2.5\t3  \"a  pen\"", "a  pen"),
            (.text, "1.5 2 \"two\nlines\"\n2.5 3 \"two\nlines\"\n", "two\nlines"),
            (.csv, "1.5,2, no quotes \n2.5,3,no quotes", "no quotes"),
        ])
    func quotedCells(format: DecodeOptions.Format, text: String, stream: String) throws {
        let frame = try decoded(Stroke.self, text) {
            $0.format = format
            ($0.columns.x, $0.columns.y, $0.columns.stream) = (.number(1), .number(2), .number(3))
        }.frame
        #expect(frame?.payload.samples == [Sample(x: 1.5, y: 2), Sample(x: 2.5, y: 3)])
        #expect(frame?.stream.name == stream)
    }

    @Test(
        "Messages of rows with misplaced quotes are refused with a position, and the next message is read",
        arguments: [
            (DecodeOptions.Format.csv, "1,2,\"pen", "byte 4: the text ends inside a cell in quotes [decode.truncated]"),
            (.csv, "1,2\n3,\"4\n5,6\n", "byte 6: the text ends inside a cell in quotes [decode.truncated]"),
            (.csv, "1,2\n\"3\"4,5", "byte 7: something follows a cell in quotes [decode.syntax]"),
            (.csv, "1,2,5\"", "byte 5: a cell that is not in quotes contains a quote [decode.syntax]"),
            (.text, "1 2 \"a\"b", "byte 7: something follows a cell in quotes [decode.syntax]"),
            (.text, "1 2 \"a b", "byte 4: the text ends inside a cell in quotes [decode.truncated]"),
            (.csv, "1,\" 2\",x", "byte 2: expected a number, found \" 2\" [decode.type]"),
        ])
    func wrongQuotes(format: DecodeOptions.Format, text: String, words: String) throws {
        var options = DecodeOptions()
        options.format = format
        (options.columns.x, options.columns.y, options.columns.stream) = (.number(1), .number(2), .number(3))
        var decoder = try MessageDecoder<Stroke>(options, defaultStream: "camera")
        #expect {
            try withPadded(Array(text.utf8)) { try decoder.decode($0, receivedAt: 7) }
        } throws: { error in
            var error = error as? PipelineError
            #expect(error?.code == "decode.type" || error?.help?.contains("double each quote") == true)
            error?.help = nil
            #expect(error?.description == words)
            return true
        }
        let good = try withPadded(Array("3 4 pen".replacing(" ", with: format == .csv ? "," : " ").utf8)) {
            try decoder.decode($0, receivedAt: 8)
        }
        #expect(good.frame?.payload.samples == [Sample(x: 3, y: 4)] && good.stream == "pen")
    }

    @Test("Messages of rows may give stream and label in the same column")
    func sharedColumn() throws {
        let frame = try decoded(Stroke.self, "1,2,circle\n3,4,circle") {
            $0.format = .csv
            ($0.columns.x, $0.columns.y) = (.number(1), .number(2))
            ($0.columns.stream, $0.columns.label) = (.number(3), .number(3))
        }.frame
        #expect(frame?.stream == "circle" && frame?.payload.label == "circle")
    }

    @Test(
        "Messages after a topic in the same frame belong to the topic's stream, and errors give positions in the frame")
    func topics() throws {
        let options: (inout DecodeOptions) throws -> Void = {
            $0.topicDelimiter = " "
            $0.points = [try FieldPath("p")]
        }
        let frame = try decoded(Stroke.self, #"pen/1 {"p":[[1,2]]}"#, options).frame
        #expect(frame?.stream == "pen/1" && frame?.payload.samples.count == 1)
        #expect { try decoded(Stroke.self, #"pen/1 {"p":[[1,"a"]]}"#, options) } throws: {
            let error = $0 as? PipelineError
            return error?.location == "byte 15" && error?.message == "\"p\": expected a number, found a string"
        }
    }

    @Test(
        "Wrong messages give errors that say the position and what was expected",
        arguments: [
            (#"{"p":7}"#, "byte 5: \"p\": expected points, found a number [decode.type]"),
            (#"{"p":"x"}"#, "byte 5: \"p\": expected points, found a string [decode.type]"),
            (#"{"p":[[1,2],[3]]}"#, "byte 12: \"p\": the meaning of a point of 1 numbers is ambiguous [decode.count]"),
            (#"{"p":[{"x":1}]}"#, "byte 6: \"p\": a point needs x and y; this one has \"x\" [decode.missing]"),
            (#"{"p":[["1",2]]}"#, "byte 7: \"p\": expected a number, found a string [decode.type]"),
            (#"{"p":[[[1,2],[3,4]]]}"#, "byte 7: \"p\": expected a number, found an array [decode.type]"),
            (#"{"p":[[1,2],null]}"#, "byte 12: \"p\": expected a point, found null [decode.type]"),
            (#"{"p":[[1,2,3]]}"#, "byte 6: \"p\": the meaning of a point of 3 numbers is ambiguous [decode.count]"),
            (#"{"p":[1,2,3,4,5]}"#, "byte 5: \"p\": the meaning of the 5 numbers is unknown [decode.count]"),
            (#"{"p":[[1,2]],"t":-1}"#, "byte 17: \"t\": a time lies between 0 and 2^53 − 1 µs [decode.range]"),
            (#"{"p":[[1,2]],"t":true}"#, "byte 17: \"t\": expected a number, found a boolean [decode.type]"),
            (#"[1,2]"#, "byte 0: expected an object, found a list [decode.type]"),
            (#""p""#, "byte 0: expected an object or a list, found a string [decode.type]"),
            (#"{"q":1}"#, "the message has no \"p\" [decode.missing]"),
            (#"{"p":[[1,2]"#, "byte 11: the text ends before the value does [decode.truncated]"),
            (#"{"p":[{"x":1,"y":2,"t":5}]}"#, "points have times, but their unit is missing [decode.time_unit]"),
        ])
    func wrong(text: String, words: String) {
        #expect {
            try decoded(Stroke.self, text) {
                $0.points = [try FieldPath("p")]
                if !text.contains("\"t\":5") {
                    $0.t = [try FieldPath("t")]
                    $0.tUnit = .s
                }
            }
        } throws: { error in
            var error = error as? PipelineError
            error?.help = nil
            #expect(error?.description == words)
            return true
        }
    }

    @Test(
        "The error about points that cannot be read says what was found, and the remedy",
        arguments: [
            ("p", #"{"p":[["1",2]]}"#, "expected a number, found a string", "send a number"),
            ("p", #"{"p":[{"x":1,"y":2,"t":"1767261600000"}]}"#, "expected a number, found a string", "send a number"),
            (
                "p", #"{"p":[{"x":1,"y":2,"t":"2026-01-01T10:00:00Z"}]}"#, "expected a number, found a string",
                "write sample_unit: iso8601"
            ),
            (
                "p", #"{"p":[[[1,2],[3,4]]]}"#, "expected a number, found an array",
                "write [*] where there are several lists, and only there"
            ),
            (
                "p[*]", #"{"p":[1,2]}"#, "expected points, found a number",
                "write [*] where there are several lists, and only there"
            ),
            ("p[*]", #"{"p":["a"]}"#, "expected points, found a string", nil),
            (
                "p", #"{"p":[{"px":1,"py":2}]}"#, #"a point needs x and y; this one has "px" and "py""#,
                "name the coordinates x and y, in the sender or with jq"
            ),
            (
                "p", #"{"p":{"a":1,"b":"c","d":{},"e":[],"f":0,"g":1}}"#,
                #"a point needs x and y; this one has "a", "b", "d", "e" and 2 more"#,
                "name the coordinates x and y, in the sender or with jq"
            ),
            (
                "p", #"{"p":[{}]}"#, "a point needs x and y; this one has neither",
                "name the coordinates x and y, in the sender or with jq"
            ),
            (
                "$", #"{"at":5,"xs":[1,2],"ys":[3,4]}"#, #"a point needs x and y; this one has "xs" and "ys""#,
                "name the coordinates x and y, in the sender or with jq"
            ),
        ] as [(String, String, String, String?)])
    func remedies(path: String, text: String, message: String, help: String?) {
        let error = #expect(throws: PipelineError.self) {
            try decoded(Stroke.self, text) {
                ($0.points, $0.t, $0.tUnit) = ([try FieldPath(path)], [try FieldPath("at")], .ms)
            }
        }
        #expect(error?.message == "\"\(path)\": \(message)")
        #expect(error?.help == help)
    }

    @Test("Messages with more than 1,000 sets of points are refused")
    func manySets() throws {
        let text = "{\"p\":[" + [String](repeating: "[1,2,3,4,5,6]", count: 50_000).joined(separator: ",") + "]}"
        var traits = LandmarkTraits()
        traits.topology = TopologyName(try Topology(identifier: "tool(a,b,c)"))
        #expect { try decoded(Hands.self, text, landmarks: traits) { $0.points = [try FieldPath("p[*]")] } } throws: {
            ($0 as? PipelineError)?.message == "\"p[*]\": more than 1000 sets of points in a message"
        }
    }
}
