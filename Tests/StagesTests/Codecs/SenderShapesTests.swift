import Pipeline
import Testing

@testable import Connectors
@testable import Stages

/// Messages as real programs send them, beyond those of the presets.
@Suite("Shapes of messages")
struct SenderShapesTests {
    private static let names = [
        "WRIST", "THUMB_CMC", "THUMB_MCP", "THUMB_IP", "THUMB_TIP", "INDEX_FINGER_MCP", "INDEX_FINGER_PIP",
        "INDEX_FINGER_DIP", "INDEX_FINGER_TIP", "MIDDLE_FINGER_MCP", "MIDDLE_FINGER_PIP", "MIDDLE_FINGER_DIP",
        "MIDDLE_FINGER_TIP", "RING_FINGER_MCP", "RING_FINGER_PIP", "RING_FINGER_DIP", "RING_FINGER_TIP", "PINKY_MCP",
        "PINKY_PIP", "PINKY_DIP", "PINKY_TIP",
    ]
    /// Returns x, y and z of the point with the given number.
    private static func point(_ index: Int) -> Landmarks.Point {
        .init(x: Double(index), y: Double(index) / 4, z: -Double(index) / 8)
    }

    private static let hand = (0..<21).map(point)

    private static func list(_ index: Int) -> String { "[\(index),\(Double(index) / 4),\(-Double(index) / 8)]" }

    private static func object(_ index: Int) -> String {
        "{\"x\":\(index),\"y\":\(Double(index) / 4),\"z\":\(-Double(index) / 8)}"
    }

    private static func paths(_ text: String...) throws -> FieldPaths { try text.map { try FieldPath($0) } }

    private func hands(
        _ text: String, _ change: (inout DecodeOptions) throws -> Void
    ) throws -> [Landmarks] {
        try #require(try decoded(Hands.self, text, change).frame).payload.hands
    }

    @Test("Points by name come in the order of the topology, whatever their order in the message")
    func named() throws {
        for names in [Self.names, Array(Self.names.reversed()), Self.names.sorted()] {
            let members = names.map { "\"\($0)\":\(Self.list(Self.names.firstIndex(of: $0) ?? 0))" }
            let text = "{\"t\":1,\"landmarks\":{\(members.joined(separator: ","))}}"
            let hands = try hands(text) { $0.points = try Self.paths("landmarks") }
            #expect(hands.map(\.points) == [Self.hand])
            #expect(hands.first?.hasDepth == true)
        }
    }

    @Test("Points by number come in numeric order, as lists or objects, counted from 0 or 1")
    func numbered() throws {
        for first in [0, 1] {
            for form in [Self.list, Self.object] {
                // In the order of a dictionary that is sorted as text: 0, 1, 10, 11, …, 2, 20, 3.
                let keys = (0..<21).sorted { "\($0 + first)" < "\($1 + first)" }
                let members = keys.map { "\"\($0 + first)\":\(form($0))" }.joined(separator: ",")
                let hands = try hands("{\"hands\":[{\"points\":{\(members)},\"side\":\"right\"}]}") {
                    $0.points = try Self.paths("hands[*].points")
                    $0.handedness = try Self.paths("hands[*].side")
                }
                #expect(hands.map(\.points) == [Self.hand])
                #expect(hands.map(\.handedness) == ["Right"])
            }
        }
    }

    @Test(
        "A confidence, a depth or a pressure that only some points have is an error that names it and its place",
        arguments: [
            (#"[{"x":1,"y":2,"confidence":0.9},{"x":3,"y":4}]"#, "a confidence", 37),
            (#"[{"x":1,"y":2},{"x":3,"y":4,"conf":0.9}]"#, "a confidence", 20),
            (#"[{"x":1,"y":2,"c":null},{"x":3,"y":4,"c":0.5}]"#, "a confidence", 29),
            (#"{"0":{"x":1,"y":2},"1":{"x":3,"y":4,"c":0.9}}"#, "a confidence", 5),
            (#"[[1,2,0],[3,4,5,0.9]]"#, "a confidence", 14), (#"[[1,2],[3,4,5]]"#, "z", 12),
            (#"[{"x":1,"y":2,"z":4},{"x":3,"y":4}]"#, "z", 26),
        ])
    func partial(points: String, what: String, byte: Int) throws {
        var traits = LandmarkTraits()
        traits.topology = TopologyName(try Topology(identifier: "pliers(tip,end)"))
        let error = #expect(throws: PipelineError.self) {
            try decoded(Landmarks.self, #"{"p":"# + points + "}", landmarks: traits) {
                $0.points = try Self.paths("p")
            }
        }
        #expect(error?.code == "decode.missing")
        #expect(error?.message.contains("only some of the points have \(what)") == true, "\(error?.message ?? "")")
        #expect(error?.location == "byte \(byte)")
    }

    @Test("A confidence of any name inside of each point is read with its path, and must be in all points or in none")
    func namedConfidence() throws {
        func confidences(_ second: String) throws -> [Double] {
            let text = "{\"hands\":[[{\"sure\":0.25,\"x\":1,\"y\":2},{\"x\":3,\"y\":4\(second)}]]}"
            var traits = LandmarkTraits()
            traits.topology = TopologyName(try Topology(identifier: "pliers(tip,end)"))
            let message = try decoded(Hands.self, text, landmarks: traits) {
                $0.points = try Self.paths("hands[*][*]")
                $0.confidences = try Self.paths("hands[*][*].sure")
            }
            return try #require(message.frame?.payload.hands.first).confidences
        }
        #expect(try confidences(",\"sure\":0.5") == [0.25, 0.5])
        #expect(throws: PipelineError.self) { try confidences("") }
    }

    @Test(
        "A set in which every confidence is 0 counts as absent, unless it is the visibility of points that are objects",
        arguments: [
            ("visibility", true), ("confidence", false), ("conf", false), ("score", false), ("likelihood", false),
            ("c", false), ("sure", false),
        ])
    func undetected(name: String, isThere: Bool) throws {
        var traits = LandmarkTraits()
        traits.topology = TopologyName(try Topology(identifier: "pliers(tip,end)"))
        func points(_ confidence: String) -> [String] {
            let (tip, end) = ("{\"x\":1,\"y\":2,\"\(name)\":0}", "{\"x\":3,\"y\":4,\"\(name)\":\(confidence)}")
            return ["[\(tip),\(end)]", "{\"tip\":\(tip),\"end\":\(end)}"]
        }
        for isAbsent in [true, false] {
            for text in points(isAbsent ? "0" : "0.5") where name != "sure" || text.hasPrefix("[") {
                let message = try decoded(Landmarks.self, "{\"hand\":\(text)}", landmarks: traits) {
                    $0.points = try Self.paths(name == "sure" ? "hand[*]" : "hand")
                    if name == "sure" { $0.confidences = try Self.paths("hand[*].sure") }
                }
                #expect((message.frame != nil) == (isThere || !isAbsent), "\(text)")
                #expect(message.frame?.payload.confidences ?? [] == (isAbsent ? [] : [0, 0.5]), "\(text)")
            }
        }
    }

    @Test("A set whose confidences of 0 are beside its points is present, and keeps them")
    func confidencesBeside() throws {
        var traits = LandmarkTraits()
        traits.topology = TopologyName(try Topology(identifier: "pliers(tip,end)"))
        let message = try decoded(Landmarks.self, #"{"hand":[[1,2],[3,4]],"sure":[0,0]}"#, landmarks: traits) {
            ($0.points, $0.confidences) = (try Self.paths("hand"), try Self.paths("sure"))
        }
        #expect(message.frame?.payload.confidences == [0, 0])
    }

    @Test("A message whose keys are the points may have other fields beside them")
    func wholeMessage() throws {
        let members = Self.names.enumerated().map { "\"\($1)\":\(Self.object($0))" }.joined(separator: ",")
        let message = try decoded(Landmarks.self, "{\"stamp\":2.5,\(members),\"mood\":\"good\"}") {
            $0.points = try Self.paths("$")
            $0.t = try Self.paths("stamp")
        }
        #expect(message.frame?.payload.points == Self.hand)
        #expect(message.frame?.timestamp.rawValue == 2_500_000)
        #expect(message.frame?.origin?.unknown.map(\.key) == ["mood"])
    }

    @Test("Points by name: a point that is missing or occurs twice is an error that names it")
    func missing() throws {
        func text(_ names: [String]) -> String {
            "{\"p\":{" + names.map { "\"\($0)\":[1,2,3]" }.joined(separator: ",") + "}}"
        }
        let missing = #expect(throws: PipelineError.self) {
            try hands(text(Self.names.filter { $0 != "RING_FINGER_PIP" })) { $0.points = try Self.paths("p") }
        }
        #expect(missing?.message == "\"p\": the point \"ringPIP\" is missing")
        let twice = #expect(throws: PipelineError.self) {
            try hands(text(Self.names + ["wrist"])) { $0.points = try Self.paths("p") }
        }
        #expect(twice?.message == "\"p\": the point \"wrist\" occurs twice")
    }

    @Test("Columns become points, with depth, time and pressure if there are such columns")
    func columns() throws {
        let numbers = (0..<21)
        func column(_ value: (Landmarks.Point) -> Double) -> String {
            "[" + numbers.map { "\(value(Self.point($0)))" }.joined(separator: ",") + "]"
        }
        let text = "{\"hand\":{\"x\":\(column(\.x)),\"y\":\(column(\.y)),\"z\":\(column(\.z))}}"
        #expect(try hands(text) { $0.points = try Self.paths("hand") }.map(\.points) == [Self.hand])
        let stroke = try decoded(
            Stroke.self, #"{"label":"line","x":[1,2,3],"y":[4,5,6],"t":[100,120,150],"pressure":[0.5,1,0]}"#
        ) {
            $0.points = try Self.paths("$")
            $0.label = try Self.paths("label")
            $0.tUnit = .ms
        }.frame?.payload
        #expect(
            stroke?.samples == [
                Sample(x: 1, y: 4, t: 0, p: 0.5), Sample(x: 2, y: 5, t: 20_000, p: 1),
                Sample(x: 3, y: 6, t: 50_000, p: 0),
            ])
        #expect(stroke?.start.rawValue == 100_000 && stroke?.label == "line")
        let error = #expect(throws: PipelineError.self) {
            try decoded(Stroke.self, #"{"p":{"x":[1,2],"y":[3]}}"#) { $0.points = try Self.paths("p") }
        }
        #expect(error?.code == "decode.count")
    }

    @Test("Raw floats of four or eight bytes become points, or sets of points in the configured shape")
    func raw() throws {
        func bytes(_ points: [Landmarks.Point], _ isDouble: Bool) -> [UInt8] {
            points.flatMap { [$0.x, $0.y, $0.z] }.flatMap { number in
                isDouble
                    ? withUnsafeBytes(of: number.bitPattern.littleEndian, Array.init)
                    : withUnsafeBytes(of: Float(number).bitPattern.littleEndian, Array.init)
            }
        }
        for isDouble in [false, true] {
            let both = bytes(Self.hand + Self.hand, isDouble)
            let hands = try #require(
                try decoded(Hands.self, bytes: both) {
                    $0.format = isDouble ? .float64 : .float32
                    $0.shape = [2, 21, 3]
                }.frame
            ).payload.hands
            #expect(hands.map(\.points) == [Self.hand, Self.hand])
        }
        let one = try decoded(Hands.self, bytes: bytes(Self.hand, false)) { $0.format = .float32 }.frame
        #expect(one?.payload.hands.map(\.points) == [Self.hand])
        #expect(one?.timestamp.rawValue == 7 && one?.origin?.isStamped == true)
        let stroke = try decoded(Stroke.self, bytes: bytes([Self.point(4), Self.point(8)], true)) {
            $0.format = .float64
            $0.fields = try PointFields("xyp")
        }.frame
        #expect(stroke?.payload.samples == [Sample(x: 4, y: 1, p: -0.5), Sample(x: 8, y: 2, p: -1)])
        let wrong = #expect(throws: PipelineError.self) {
            try decoded(Hands.self, bytes: bytes(Self.hand, false)) {
                $0.format = .float32
                $0.shape = [2, 21, 3]
            }
        }
        #expect(wrong?.message == "63 numbers, but shape requires 126")
        let width = #expect(throws: PipelineError.self) {
            try decoded(Stroke.self, bytes: bytes(Self.hand, true)) {
                $0.format = .float64
                $0.shape = [21, 3]
                $0.fields = .xy
            }
        }
        #expect(width?.message == "a point has 3 numbers, but fields names 2")
    }

    @Test(
        "Raw floats: a shape that no message can have is a configuration error",
        arguments: [[4_294_967_296, 4_294_967_296], [-1, 1, -42], [0, 3], [21, -3]])
    func impossibleShape(shape: [Int]) {
        let error = #expect(throws: PipelineError.self) {
            try decoded(Hands.self, bytes: [UInt8](repeating: 0, count: 168)) {
                $0.format = .float32
                $0.shape = shape
            }
        }
        #expect(error?.code == "option.range" && error?.category == .configuration)
    }

    @Test(
        "Times in ISO 8601 become microseconds since 1970 in UTC",
        arguments: [
            // By `date -u +%s -d …`.
            ("1970-01-01T00:00:00Z", 0), ("2026-11-23T13:06:38.250Z", 1_795_439_198_250_000),
            ("2026-11-23T14:06:38.25+01:00", 1_795_439_198_250_000),
            ("2026-11-23 08:36:38-0430", 1_795_439_198_000_000),
            ("2024-02-29T23:59:59.9999999", 1_709_251_199_999_999), ("2000-03-01T00:00Z", 951_868_800_000_000),
            ("2026-12-31T00:00:00Z", 1_798_675_200_000_000), ("2026-01-31T00:00:00Z", 1_769_817_600_000_000),
        ])
    func iso(text: String, microseconds: Int64) throws {
        let message = try decoded(Landmarks.self, "{\"at\":\"\(text)\",\"p\":[[1,2,3]]}", landmarks: .dot) {
            $0.points = try Self.paths("p")
            $0.t = try Self.paths("at")
            $0.tUnit = .iso8601
        }
        #expect(message.frame?.timestamp.rawValue == microseconds)
    }

    @Test(
        "Text that is not a time in ISO 8601, or lies before 1970, is an error",
        arguments: [
            "2026-13-01T00:00:00Z", "2026-11-23", "2026-11-23T25:00:00Z", "yesterday", "", "1969-12-31T23:59:59Z",
            "2026-02-31T00:00:00Z", "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
            "2026-12-32T00:00:00Z", "2026-01-00T00:00:00Z",
        ])
    func notISO(text: String) {
        #expect(throws: PipelineError.self) {
            try decoded(Landmarks.self, "{\"at\":\"\(text)\",\"p\":[[1,2,3]]}", landmarks: .dot) {
                $0.points = try Self.paths("p")
                $0.t = try Self.paths("at")
                $0.tUnit = .iso8601
            }
        }
    }

    @Test("A text that is not a time is shown once in the error")
    func notISOShown() {
        let error = #expect(throws: PipelineError.self) {
            try decoded(Landmarks.self, #"{"at":"2026-02-29T00:00:00Z","p":[[1,2,3]]}"#, landmarks: .dot) {
                $0.points = try Self.paths("p")
                $0.t = try Self.paths("at")
                $0.tUnit = .iso8601
            }
        }
        #expect(
            error?.message
                == #""at": expected a time as in 2026-11-23T13:06:38.250Z, found "2026-02-29T00:00:00Z""#)
    }

    @Test("A number in place of a time in ISO 8601 is an error that names the units of numbers")
    func numberForISO() {
        let error = #expect(throws: PipelineError.self) {
            try decoded(Landmarks.self, #"{"at":1500,"p":[[1,2,3]]}"#, landmarks: .dot) {
                $0.points = try Self.paths("p")
                $0.t = try Self.paths("at")
                $0.tUnit = .iso8601
            }
        }
        #expect(error?.code == "decode.type")
        #expect(error?.message == #""at": expected a time as in 2026-11-23T13:06:38.250Z, found a number"#)
        #expect(error?.help == "iso8601 is for texts; the unit of times that are numbers is s, ms, us or ns")
    }

    @Test("Next to times in ISO 8601, the times of points need a unit of their own, and the start may be a text")
    func pointsBesideISO() throws {
        func stroke(_ unit: TimeUnit?) throws -> Frame<Stroke>? {
            try decoded(
                Stroke.self,
                #"{"at":"1970-01-01T00:00:09Z","from":"1970-01-01T00:00:07Z","p":[[1,2,0],[3,4,20]]}"#
            ) {
                $0.points = try Self.paths("p")
                $0.fields = try PointFields("xyt")
                $0.t = try Self.paths("at")
                $0.start = try Self.paths("from")
                ($0.tUnit, $0.sampleUnit) = (.iso8601, unit)
            }.frame
        }
        let error = #expect(throws: PipelineError.self) { try stroke(nil) }
        #expect(error?.code == "decode.time_unit")
        #expect(error?.help == "add sample_unit: s, ms, us or ns")
        let frame = try stroke(.ms)
        #expect(frame?.timestamp.rawValue == 9_000_000)
        #expect(frame?.payload.start.rawValue == 7_000_000)
        #expect(frame?.payload.samples.map(\.t) == [0, 20_000])
    }

    @Test(
        "Times of points may be texts in ISO 8601, in points that are objects and in columns; they are never relative",
        arguments: [
            #"[{"x":1,"y":2,"t":"1970-01-01T00:00:07.5Z"},{"t":"1970-01-01T01:00:07.75+01:00","x":3,"y":4}]"#,
            #"{"x":[1,3],"y":[2,4],"t":["1970-01-01T00:00:07.5Z","1970-01-01T00:00:07.75Z"]}"#,
        ])
    func isoPoints(points: String) throws {
        for hasStart in [false, true] {
            let frame = try decoded(Stroke.self, "{\"from\":\"1970-01-01T00:00:07Z\",\"p\":\(points)}") {
                $0.points = try Self.paths("p")
                if hasStart { $0.start = try Self.paths("from") }
                ($0.tUnit, $0.sampleUnit) = hasStart ? (.ms, .iso8601) : (.iso8601, nil)
            }.frame
            #expect(frame?.payload.start.rawValue == 7_500_000 && frame?.timestamp.rawValue == 7_750_000)
            #expect(frame?.payload.samples == [Sample(x: 1, y: 2), Sample(x: 3, y: 4, t: 250_000)])
        }
    }

    @Test(
        "With sample_unit: iso8601, times of points that are numbers, or no times, are errors",
        arguments: [
            (#"[{"x":1,"y":2,"t":5}]"#, "decode.time_unit", nil),
            (#"[{"x":1,"y":2,"t":5},{"x":1,"y":2,"t":"1970-01-01T00:00:07Z"}]"#, "decode.time_unit", nil),
            (#"[{"x":1,"y":2,"t":"yesterday"}]"#, "decode.type", "byte 23"),
        ] as [(String, String, String?)])
    func notISOPoints(points: String, code: String, location: String?) {
        let error = #expect(throws: PipelineError.self) {
            try decoded(Stroke.self, "{\"p\":\(points)}") {
                ($0.points, $0.sampleUnit) = (try Self.paths("p"), .iso8601)
            }
        }
        #expect(error?.code == code && error?.location == location)
        if code == "decode.time_unit" { #expect(error?.help == "add sample_unit: s, ms, us or ns") }
    }

    @Test("A time in ISO 8601 in place of a number is an error that suggests t_unit: iso8601")
    func isoUntold() throws {
        let error = #expect(throws: PipelineError.self) {
            try decoded(Landmarks.self, #"{"at":"2026-11-23T13:06:38Z","p":[[1,2,3]]}"#, landmarks: .dot) {
                $0.points = try Self.paths("p")
                $0.t = try Self.paths("at")
                $0.tUnit = .ms
            }
        }
        #expect(error?.help == "write t_unit: iso8601")
    }

    @Test("A pickle of any protocol is recognized and refused, whatever format was expected")
    func pickle() throws {
        // The output of Python 3.11 for {"t": 1.5} with protocols 0, 2 and 5.
        let pickles: [[UInt8]] = [
            Array("(dp0\nVt\np1\nF1.5\ns.".utf8),
            [0x80, 2, 0x7D, 0x71, 0, 0x58, 1, 0, 0, 0, 0x74, 0x71, 1, 0x47, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0, 0x73, 0x2E],
            [
                0x80, 5, 0x95, 0x11, 0, 0, 0, 0, 0, 0, 0, 0x7D, 0x94, 0x8C, 1, 0x74, 0x94, 0x47, 0x3F, 0xF8, 0, 0, 0, 0,
                0,
                0, 0x73, 0x2E,
            ],
        ]
        for pickle in pickles {
            for format in [DecodeOptions.Format.json, .msgpack] {
                for isMapped in [false, true] {
                    let error = #expect(throws: PipelineError.self) {
                        try decoded(Stroke.self, bytes: pickle) {
                            $0.format = format
                            if isMapped { $0.points = try Self.paths("p") }
                        }
                    }
                    #expect(error?.code == "decode.pickle")
                }
            }
        }
    }

    @Test("A time in a separate part of a message may be text, or a number of eight bytes")
    func timeFrame() throws {
        var options = DecodeOptions()
        options.points = try Self.paths("p")
        options.frames = .topicTimeAndPayload
        options.tUnit = .s
        let decoder = try MessageDecoder<Landmarks>(options, defaultStream: "", landmarks: .dot)
        func time(_ bytes: [UInt8]) throws -> Int64 { try bytes.withUnsafeBytes { try decoder.time(in: $0) } }
        #expect(try time(Array("12.5".utf8)) == 12_500_000)
        #expect(try time(Array("12345678".utf8)) == 12_345_678_000_000)
        #expect(try time(withUnsafeBytes(of: 12.5.bitPattern.littleEndian, Array.init)) == 12_500_000)
        #expect(throws: PipelineError.self) { try time(Array("noon".utf8)) }
        #expect(throws: PipelineError.self) { try time([]) }
    }
}

extension LandmarkTraits {
    /// A single point without a name.
    fileprivate static var dot: LandmarkTraits {
        var traits = LandmarkTraits()
        traits.topology = (try? Topology(identifier: "dot(p)")).map(TopologyName.init)
        return traits
    }
}

@Suite("The preset canonical")
struct CanonicalPresetTests {
    private var generator = PayloadGenerator(seed: 4)

    /// Checks that the field reader, with the preset's keys, reads canonical messages without loss.
    private func check<P: WirePayload & Equatable>(
        _ payloads: [P], syntax: DocumentSyntax = .json
    ) throws {
        var options = DecodeOptions()
        options.preset = .canonical
        #expect(!options.isMapped)
        let kind = PayloadKind(P.self)
        var mapped = try MappedDecoder<P>(
            options.filled(for: kind), defaultStream: "camera", landmarks: LandmarkTraits(),
            numbering: StreamCounters())
        for (number, payload) in payloads.enumerated() {
            let frame = Frame(
                payload, at: Timestamp(rawValue: 5_000_000 + Int64(number)), stream: "pen/1", sequence: Int64(number))
            let text = try encode(frame)
            let read = try withPadded(Array(text.utf8)) { try mapped.decode($0).frame }
            #expect(read?.payload == payload, "\(text)")
            #expect(read?.stream == frame.stream && read?.sequence == frame.sequence)
            #expect(read?.timestamp == frame.timestamp)
            #expect(try read.map { try encode($0) } == text)
        }
    }

    /// Whether there are samples, with times that are plausible for a pen. The generator also makes extreme times.
    private static func areUsual(_ samples: [Sample]) -> Bool {
        !samples.isEmpty && samples.allSatisfy { abs($0.t) < 9e15 }
    }

    @Test(
        "The preset canonical: the field reader reads canonical strokes, pieces, vectors, landmarks and hands without loss"
    )
    func same() throws {
        var generator = generator
        func some<P>(_ make: (inout PayloadGenerator) -> P, where isUsual: (P) -> Bool) -> [P] {
            (0..<200).map { _ in make(&generator) }.filter(isUsual)
        }
        let strokes = some({ $0.stroke() }) { Self.areUsual($0.samples) }
        #expect(strokes.count > 50)
        try check(strokes)
        try check(some({ $0.points() }) { Self.areUsual($0.samples) })
        try check(some({ $0.vector() }) { $0.subject == nil })
        let landmarks = some({ $0.landmarks() }) { $0.isUsual }
        #expect(landmarks.count > 10)
        try check(landmarks)
        try check(some({ $0.hands() }) { $0.hands.allSatisfy(\.isUsual) })
    }
}

extension Landmarks {
    /// Whether a detector could produce the payload. The generator also makes others.
    fileprivate var isUsual: Bool {
        !points.isEmpty && confidences.count != 1 && (handedness.map { ["Left", "Right"].contains($0) } ?? true)
    }
}
