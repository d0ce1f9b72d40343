import Pipeline
import Testing

@testable import Connectors
@testable import Stages

@Suite("Canonical JSON")
struct CanonicalCodecTests {
    private func check<P: WirePayload & Equatable>(
        _ make: (inout PayloadGenerator) -> P, seed: UInt64 = 1
    ) throws {
        var generator = PayloadGenerator(seed: seed)
        var decoder = try CanonicalDecoder<P>(defaultStream: "unnamed")
        for _ in 0..<300 {
            let frame = generator.frame(make(&generator))
            let text = try encode(frame)
            let back = try withPadded(text.utf8) { try decoder.decode($0) }
            let read = try #require(back.frame)
            #expect(read == frame)
            #expect(read.origin?.unknown ?? [] == frame.origin?.unknown ?? [])
            #expect(read.origin?.receivedAt == frame.origin?.receivedAt)
            #expect(read.origin?.clock == frame.origin?.clock)
            #expect(try encode(read) == text)
        }
    }

    /// Returns whether a decoder accepts points with these letters.
    private func accepts<P: WirePayload>(_ letters: String, _ payload: P.Type) throws -> Bool {
        var decoder = try CanonicalDecoder<P>(defaultStream: "unnamed")
        let numbers = letters.map { _ in "0" }.joined(separator: ",")
        let text =
            P.self == Ink.self
            ? #"{"t_us":1,"fields":"\#(letters)","strips":[[\#(numbers)]]}"#
            : #"{"t_us":1,"phase":"move","topology":"dot(dot)","fields":"\#(letters)","pts":[\#(numbers)]}"#
        return (try? withPadded(text.utf8) { try decoder.decode($0) })?.frame != nil
    }

    @Test(
        "Canonical JSON: the description of `fields` lists the letters that a payload accepts, and no others",
        arguments: [Stroke.self, Points.self, Landmarks.self, Ink.self] as [any WirePayload.Type])
    func letters(payload: any WirePayload.Type) throws {
        let field = try #require(payload.messageFields.first { $0.name == "fields" })
        let listed = Set(field.summary.matches(of: /`([a-z])`/).map { String($0.1) })
        let base = payload == Ink.self ? "xyw" : "xy"
        #expect(listed.isSuperset(of: base.map(String.init)))
        for letter in ["z", "t", "p", "w"] where !base.contains(letter) {
            #expect(try accepts(base + letter, payload) == listed.contains(letter), "\(letter)")
        }
    }

    @Test("Canonical messages: of a message with a damaged value, the keys before and after the value are found")
    func unreadKeys() throws {
        func unread(_ more: String) throws -> UnreadMessage {
            var decoder = try CanonicalDecoder<Stroke>(defaultStream: "unnamed")
            let text = #"{"t_us":1,"fields":"xy","pts":[1,NaN],"stream":"a","seq":7,"end":true\#(more)}"#
            #expect(throws: PipelineError.self) { try withPadded(text.utf8) { try decoder.decode($0) } }
            return decoder.unread()
        }
        let last = try unread("")
        #expect(last.stream == "a")
        #expect(last.sequence == 7)
        #expect(last.endsStream)
        // The repetition of an end, and a message of another kind, end nothing.
        #expect(try !unread(#","quiet":true"#).endsStream)
        #expect(try !unread(#","kind":"hands""#).endsStream)
        #expect(try unread(#","kind":"stroke""#).endsStream)
    }

    @Test("Canonical JSON: an error about a letter of `fields` names only the letters of its kind")
    func wrongLetters() throws {
        func message<P: WirePayload>(_: P.Type, _ more: String) -> String? {
            let text = #"{"t_us":1,"phase":"move",\#(more)}"#
            return #expect(throws: PipelineError.self) { try decode(P.self, text) }?.message
        }
        for letters in ["xyc", "xyt", "xyqqq"] {
            #expect(
                message(Landmarks.self, #""fields":"\#(letters)","pts":[1,2,3]"#)
                    == #""fields": the letters of a landmark are x, y and z; confidences are in conf"#)
        }
        for letters in ["xyc", "xyz", "xyw"] {
            let sample = #""fields": the letters of a sample are x, y, t and p"#
            #expect(message(Stroke.self, #""fields":"\#(letters)","pts":[1,2,3]"#) == sample)
            #expect(message(Points.self, #""fields":"\#(letters)","pts":[1,2,3]"#) == sample)
        }
        #expect(
            message(Ink.self, #""fields":"xywc","strips":[[1,2,3,4]]"#)
                == #""fields": a point of ink has x, y and w (width), and t if it is known"#)
    }

    @Test("Canonical JSON: a handedness is read in any case, and another word is kept")
    func handedness() throws {
        for (word, expected) in [
            ("Left", "Left"), ("LEFT", "Left"), ("right", "Right"), ("r", "Right"), ("Both", "Both"), ("", ""),
        ] {
            let text = #"{"t_us":1,"hands":[{"fields":"xy","pts":[],"handedness":"\#(word)"}]}"#
            #expect(try decode(Hands.self, text).frame?.payload.hands.map(\.handedness) == [expected])
        }
    }

    @Test("Canonical JSON: the description of `subject` names the type that a payload accepts")
    func subjects() {
        func type(_ payload: any WirePayload.Type) -> FieldType? {
            payload.messageFields.first { $0.name == "subject" }?.type
        }
        #expect(type(Stroke.self) == .text && type(Ink.self) == .text)
        #expect(type(FeatureVector.self) == .object && type(Bitmap.self) == .object)
        #expect(type(Recognition.self) == .object && type(Landmarks.self) == nil)
    }

    @Test("Canonical JSON: a stroke comes back as it was written") func stroke() throws { try check { $0.stroke() } }
    @Test("Canonical JSON: a piece of a stroke comes back as it was written") func points() throws {
        try check { $0.points() }
    }
    @Test("Canonical JSON: landmarks come back as they were written") func landmarks() throws {
        try check { $0.landmarks() }
    }
    @Test("Canonical JSON: hands come back as they were written") func hands() throws { try check { $0.hands() } }
    @Test("Canonical JSON: results come back as they were written") func results() throws { try check { $0.results() } }
    @Test("Canonical JSON: a vector comes back as it was written") func vector() throws { try check { $0.vector() } }
    @Test("Canonical JSON: a bitmap comes back as it was written") func bitmap() throws { try check { $0.bitmap() } }
    @Test("Canonical JSON: a recognition comes back as it was written") func recognition() throws {
        try check { $0.recognition() }
    }
    @Test("Canonical JSON: ink comes back as it was written") func ink() throws { try check { $0.ink() } }

    @Test("Canonical JSON: a stroke is written as the format says")
    func text() throws {
        let stroke = Stroke(
            samples: [Sample(x: 1, y: -2.5, t: 0), Sample(x: 100000, y: 0.1, t: 8000)], start: .microseconds(5),
            fields: .time, label: "circle")
        let frame = Frame(stroke, at: .microseconds(8005), stream: "pen/1", sequence: 7)
        #expect(
            try encode(frame) == #"{"v":1,"kind":"stroke","stream":"pen/1","seq":7,"t_us":8005,"start_us":5,"#
                + #""fields":"xyt","pts":[1,-2.5,0,100000,0.1,8000],"label":"circle"}"#)
    }

    @Test("Canonical JSON: a bitmap is written as 16 hexadecimal digits, and read from nothing else")
    func bits() throws {
        let frame = Frame(Bitmap(bits: 0x01FF, label: "e"), at: .microseconds(7), stream: "pen/1", sequence: 0)
        #expect(
            try encode(frame) == #"{"v":1,"kind":"bitmap","stream":"pen/1","seq":0,"t_us":7,"bits":"00000000000001ff","#
                + #""start_us":0,"end_us":0,"label":"e"}"#)
        #expect(try decode(Bitmap.self, #"{"t_us":1,"bits":"FFffFFffFFffFFff"}"#).frame?.payload.bits == .max)
        for wrong in [#""1ff""#, #""00000000000001fg""#, #""00000000000001ff0""#, #""""#, "511", "null"] {
            #expect(throws: PipelineError.self) { try decode(Bitmap.self, #"{"t_us":1,"bits":\#(wrong)}"#) }
        }
    }

    @Test("Canonical JSON: ink is written as the format says: per stroke x, y, time and width")
    func inkText() throws {
        let ink = Ink(
            phase: .move, stroke: 2, points: [.init(x: 1, y: 2, t: 8000, width: 0.5)],
            mesh: [.init(x: 0, y: 1), .init(x: 3, y: 4)], start: .microseconds(5), isTimed: true)
        #expect(
            try encode(Frame(ink, at: .microseconds(9000), stream: "pen/1", sequence: 7))
                == #"{"v":1,"kind":"ink","stream":"pen/1","seq":7,"t_us":9000,"phase":"move","stroke":2,"start_us":5,"#
                + #""fields":"xytw","strips":[[1,2,8000,0.5]],"mesh":[[0,1,3,4]]}"#)
        let untimed = try decode(Ink.self, #"{"t_us":1,"strips":[[1,2,3],[4,5,6,7,8,9]],"label":"two"}"#)
        #expect(untimed.frame?.payload.points.map(\.width) == [3, 6, 9])
        #expect(untimed.frame?.payload.counts == [1, 2])
        #expect(untimed.frame?.payload.phase == .whole)
    }

    @Test(
        "Canonical JSON: lists of any length are written in full, and a single NaN in them is refused",
        arguments: [4095, 4096, 4097, 20_000])
    func longLists(count: Int) throws {
        var ink = Ink(
            points: (0..<count).map { Ink.Point(x: Double($0), y: -0.5 * Double($0), t: 8 * Double($0), width: 2) },
            isTimed: true)
        let frame = Frame(ink, at: .microseconds(9), stream: "pen", sequence: 1)
        let text = try encode(frame)
        var decoder = try CanonicalDecoder<Ink>(defaultStream: "")
        #expect(try withPadded(text.utf8) { try decoder.decode($0) }.frame == frame)
        for place in [0, count - 1] {
            ink.points[place].y = .nan
            #expect(throws: PipelineError.self) {
                try encode(Frame(ink, at: .microseconds(9), stream: "pen", sequence: 1))
            }
            ink.points[place].y = 0
        }
    }

    @Test(
        "Canonical JSON: incomplete or inconsistent ink is refused",
        arguments: [
            (#"{"t_us":1}"#, "decode.missing"), (#"{"t_us":1,"strips":[[1,2]]}"#, "decode.count"),
            (#"{"t_us":1,"strips":[1,2,3]}"#, "decode.type"), (#"{"t_us":1,"phase":"up","strips":[]}"#, "decode.phase"),
            (#"{"t_us":1,"fields":"xyz","strips":[[1,2,3]]}"#, "decode.fields"),
            (#"{"t_us":1,"strips":[],"mesh":[[1,2,3]]}"#, "decode.count"),
        ])
    func wrongInk(text: String, code: String) throws {
        #expect(#expect(throws: PipelineError.self) { try decode(Ink.self, text) }?.code == code)
    }

    @Test("Canonical JSON: keys and fields may come in any order")
    func order() throws {
        let message = try decode(
            Stroke.self, #" { "pts" : [ 9, 1, 2 , 8 ,3,4 ] , "fields":"pyx","t_us":10, "counts":[1,1],"seq":3 } "#)
        let frame = try #require(message.frame)
        #expect(frame.payload.samples == [Sample(x: 2, y: 1, p: 9), Sample(x: 4, y: 3, p: 8)])
        #expect(frame.payload.counts == [1, 1])
        #expect(frame.sequence == 3)
        #expect(frame.stream == "unnamed")
    }

    @Test("Canonical JSON: a stroke with a start and no timestamp gets the time of its last sample")
    func impliedTime() throws {
        let message = try decode(Stroke.self, #"{"start_us":1000,"fields":"xyt","pts":[0,0,0,1,1,500]}"#)
        #expect(message.frame?.timestamp == .microseconds(1500))
    }

    @Test("Canonical JSON: a stroke without a start starts at its timestamp minus its duration")
    func impliedStart() throws {
        let message = try decode(Stroke.self, #"{"t_us":9000,"fields":"xyt","pts":[0,0,0,1,1,500]}"#)
        #expect(message.frame?.payload.start == .microseconds(8500))
    }

    @Test("Canonical JSON: a message without a timestamp is stamped with its time of receipt and marked as stamped")
    func stamped() throws {
        var decoder = try CanonicalDecoder<Stroke>(defaultStream: "pen")
        let message = try withPadded(#"{"fields":"xy","pts":[0,0]}"#.utf8) { try decoder.decode($0, receivedAt: 77) }
        let frame = try #require(message.frame)
        #expect(frame.timestamp == .microseconds(77))
        #expect(frame.origin?.isStamped == true)
        #expect(frame.origin?.receivedAt == 77)
    }

    @Test("Canonical JSON: the message that ends a stream may contain a frame or nothing")
    func end() throws {
        let bare = try decode(Stroke.self, #"{"v":1,"stream":"pen/2","end":true}"#)
        #expect(bare.frame == nil)
        #expect(bare.endsStream)
        #expect(bare.stream == "pen/2")
        let full = try decode(Stroke.self, #"{"t_us":1,"fields":"xy","pts":[0,0],"end":true}"#)
        #expect(full.frame != nil)
        #expect(full.endsStream)
    }

    @Test("Canonical JSON: messages without numbers are numbered per stream")
    func counters() throws {
        var decoder = try CanonicalDecoder<Stroke>(defaultStream: "a")
        var sequences: [Int64] = []
        for stream in ["a", "a", "b", "a", "b", "b"] {
            let text = #"{"stream":"\#(stream)","t_us":1,"fields":"xy","pts":[0,0]}"#
            sequences.append(try #require(try withPadded(text.utf8) { try decoder.decode($0).frame }).sequence)
        }
        #expect(sequences == [0, 1, 0, 2, 1, 2])
    }

    @Test("Canonical JSON: the stream of a topic overrides the stream of the message")
    func topic() throws {
        var decoder = try CanonicalDecoder<Stroke>(defaultStream: "a")
        let text = #"{"stream":"b","t_us":1,"fields":"xy","pts":[0,0]}"#
        let message = try withPadded(text.utf8) { try decoder.decode($0, stream: "topic") }
        #expect(message.frame?.stream == "topic")
    }

    @Test(
        "Canonical JSON: a number that JSON cannot represent is refused, and the frames before and after it are written"
    )
    func notFinite() throws {
        var text = TextBuffer()
        let encoder = CanonicalEncoder()
        let good = Frame(FeatureVector(values: [1]), at: .zero)
        try encoder.encode(good, into: &text)
        let once = text.text
        for bad in [Double.nan, .infinity, -.infinity] {
            let error = #expect(throws: PipelineError.self) {
                try encoder.encode(Frame(FeatureVector(values: [0, bad]), at: .zero), into: &text)
            }
            #expect(error?.code == "encode.not_finite")
            #expect(text.text == once)
        }
        try encoder.encode(good, into: &text)
        #expect(text.text == once + once)
    }

    @Test("Canonical JSON: a failed frame is written with its error and its payload")
    func failed() throws {
        let error = PipelineError.frame("stage.bad", "no \"length\"", location: "line 3")
        let failed = FailedFrame(
            node: "resample", error: error, frame: Stroke(samples: [Sample(x: 1, y: 2)], start: .zero))
        #expect(
            try encode(Frame(failed, at: .zero, stream: "pen")).hasSuffix(
                #""node":"resample","code":"stage.bad","message":"no \"length\"","location":"line 3","#
                    + #""frame":{"kind":"stroke","start_us":0,"fields":"xy","pts":[1,2]}}"#))
    }
}
