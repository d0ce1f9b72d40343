import Pipeline
import Testing

@testable import Connectors
@testable import Stages

@Suite("Hostile JSON")
struct HostileJSONTests {
    struct Case: CustomTestStringConvertible {
        let text: String
        let code: String
        let place: Int?
        let testDescription: String

        init(_ name: String, _ text: String, _ code: String, _ place: Int? = nil) {
            (testDescription, self.text, self.code, self.place) = (name, text, code, place)
        }
    }

    static let good = #"{"t_us":1,"fields":"xy","pts":[1,2,3,4]}"#

    static let cases = [
        Case("nothing", "", "decode.empty", 0),
        Case("blanks", "   ", "decode.empty"),
        Case("an array", "[1,2]", "decode.type", 0),
        Case("a number", "12", "decode.type", 0),
        Case("two objects", good + good, "decode.trailing", good.utf8.count),
        Case("a string in place of a number", #"{"t_us":1,"fields":"xy","pts":[1,"two"]}"#, "decode.type", 33),
        Case("NaN", #"{"t_us":1,"fields":"xy","pts":[1,NaN]}"#, "decode.syntax", 33),
        Case("Infinity", #"{"t_us":1,"fields":"xy","pts":[1,-Infinity]}"#, "decode.syntax", 33),
        Case("1e400", #"{"t_us":1,"fields":"xy","pts":[1,1e400]}"#, "decode.range", 33),
        Case("a leading zero", #"{"t_us":1,"fields":"xy","pts":[1,01]}"#, "decode.syntax", 33),
        Case("a number that ends in a point", #"{"t_us":1,"fields":"xy","pts":[1,2.]}"#, "decode.syntax", 33),
        Case("null among numbers", #"{"t_us":1,"fields":"xy","pts":[1,null]}"#, "decode.type", 33),
        Case("an array of points", #"{"t_us":1,"fields":"xy","pts":[[1,2],[3,4]]}"#, "decode.type", 31),
        Case("points that are a number", #"{"t_us":1,"fields":"xy","pts":7}"#, "decode.type", 30),
        Case("an odd count of numbers", #"{"t_us":1,"fields":"xy","pts":[1,2,3]}"#, "decode.count", 30),
        Case("counts that sum to less", #"{"t_us":1,"fields":"xy","pts":[1,2,3,4],"counts":[1]}"#, "decode.count", 49),
        Case("counts that sum to more", #"{"t_us":1,"fields":"xy","pts":[1,2,3,4],"counts":[1,2]}"#, "decode.count"),
        Case("a negative count", #"{"t_us":1,"fields":"xy","pts":[1,2,3,4],"counts":[3,-1]}"#, "decode.count"),
        Case(
            "a count too large for an integer", #"{"t_us":1,"fields":"xy","pts":[1,2],"counts":[9e300]}"#,
            "decode.count"),
        Case("fractional counts", #"{"t_us":1,"fields":"xy","pts":[1,2],"counts":[0.5,0.5]}"#, "decode.count"),
        Case("no fields", #"{"t_us":1,"pts":[1,2]}"#, "decode.missing"),
        Case("no points", #"{"t_us":1,"fields":"xy"}"#, "decode.missing"),
        Case("no time", #"{"fields":"xy","pts":[1,2]}"#, "decode.missing"),
        Case("an unknown field", #"{"t_us":1,"fields":"xyq","pts":[]}"#, "decode.fields", 19),
        Case("a field twice", #"{"t_us":1,"fields":"xyx","pts":[]}"#, "decode.fields"),
        Case("a stroke with z", #"{"t_us":1,"fields":"xyz","pts":[]}"#, "decode.fields"),
        Case("no y", #"{"t_us":1,"fields":"xt","pts":[]}"#, "decode.fields"),
        Case("another version", #"{"v":2,"t_us":1,"fields":"xy","pts":[]}"#, "decode.version", 5),
        Case("another kind", #"{"kind":"hands","t_us":1,"fields":"xy","pts":[]}"#, "decode.kind", 8),
        Case("a negative time", #"{"t_us":-1,"fields":"xy","pts":[]}"#, "decode.range", 8),
        Case("a time beyond 2^53", #"{"t_us":9007199254740992,"fields":"xy","pts":[]}"#, "decode.range", 8),
        Case("a time beyond 2^64", #"{"t_us":99999999999999999999,"fields":"xy","pts":[]}"#, "decode.range", 8),
        Case("half a microsecond", #"{"t_us":1.5,"fields":"xy","pts":[]}"#, "decode.range", 8),
        Case("a label that is a number", #"{"label":3,"t_us":1,"fields":"xy","pts":[]}"#, "decode.type", 9),
        Case("no comma", #"{"t_us":1 "fields":"xy","pts":[]}"#, "decode.syntax"),
        Case("no colon", #"{"t_us" 1,"fields":"xy","pts":[]}"#, "decode.syntax"),
        Case("a trailing comma", #"{"t_us":1,"fields":"xy","pts":[1,2,]}"#, "decode.syntax"),
        Case("an open string", #"{"t_us":1,"fields":"xy"#, "decode.truncated"),
        Case("a lone surrogate", #"{"label":"\ud800","t_us":1,"fields":"xy","pts":[]}"#, "decode.syntax"),
        Case("a bad escape", #"{"label":"\q","t_us":1,"fields":"xy","pts":[]}"#, "decode.syntax"),
        Case("a control character", "{\"label\":\"\u{1}\",\"t_us\":1,\"fields\":\"xy\",\"pts\":[]}", "decode.syntax"),
        Case(
            "an invalid value of an unknown key", #"{"zz":{"a":01},"t_us":1,"fields":"xy","pts":[]}"#, "decode.syntax"),
        Case(
            "a subject without a kind", #"{"subject":{"fields":"xy"},"t_us":1,"fields":"xy","pts":[]}"#,
            "decode.subject",
            11),
        Case("a misspelled null", #"{"zz":nul,"t_us":1,"fields":"xy","pts":[]}"#, "decode.syntax"),
        Case(
            "nesting 100,000 deep",
            "{\"zz\":" + String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
                + ",\"t_us\":1,\"fields\":\"xy\",\"pts\":[]}", "decode.depth"),
        Case("100,000 open brackets", String(repeating: "[", count: 100_000), "decode.type", 0),
        Case("points nested 100,000 deep", "{\"pts\":" + String(repeating: "[", count: 100_000) + "}", "decode.type"),
    ]

    @Test("Hostile JSON is a frame error with its position, and the next message is read", arguments: cases)
    func located(_ hostile: Case) throws {
        var decoder = try CanonicalDecoder<Stroke>(defaultStream: "pen")
        let error = #expect(throws: PipelineError.self) {
            try withPadded(hostile.text.utf8) { _ = try decoder.decode($0) }
        }
        #expect(error?.code == hostile.code, "\(String(describing: error))")
        #expect(error?.category == .frame)
        if let place = hostile.place { #expect(error?.location == "byte \(place)") }
        let next = try withPadded(Self.good.utf8) { try decoder.decode($0) }
        #expect(next.frame?.payload.samples == [Sample(x: 1, y: 2), Sample(x: 3, y: 4)])
    }

    @Test(
        "Hostile JSON: a number that Python writes but JSON does not have is named, wherever it is",
        arguments: [
            (#"{"t_us":1,"fields":"xy","pts":[1,NaN]}"#, "\"pts\": NaN", 33),
            (#"{"t_us":1,"fields":"xy","pts":[1, -Infinity]}"#, "\"pts\": -Infinity", 34),
            (#"{"t_us":Infinity,"fields":"xy","pts":[1,2]}"#, "Infinity", 8),
            (#"{"zz":NaN,"t_us":1,"fields":"xy","pts":[1,2]}"#, "NaN", 6),
            (#"{"zz":{"a":[0,NaN]},"t_us":1,"fields":"xy","pts":[1,2]}"#, "NaN", 14),
        ])
    func nonNumbers(text: String, words: String, place: Int) throws {
        var decoder = try CanonicalDecoder<Stroke>(defaultStream: "pen")
        let error = #expect(throws: PipelineError.self) {
            try withPadded(text.utf8) { _ = try decoder.decode($0) }
        }
        #expect(error?.code == "decode.syntax" && error?.message == "\(words) is not JSON")
        #expect(error?.location == "byte \(place)" && error?.help?.contains("allow_nan=False") == true)
    }

    @Test(
        "Hostile JSON: a negative start_us or end_us of a recognition, a vector or a bitmap is an error with its position",
        arguments: ["start_us", "end_us"])
    func extents(key: String) throws {
        func error<P: WirePayload>(_ payload: P.Type, _ content: String) throws -> PipelineError? {
            var decoder = try CanonicalDecoder<P>(defaultStream: "pen")
            return #expect(throws: PipelineError.self) {
                try withPadded("{\"t_us\":1,\"\(key)\":-5,\(content)}".utf8) { _ = try decoder.decode($0) }
            }
        }
        let errors = [
            try error(Recognition.self, "\"categories\":[]"), try error(FeatureVector.self, "\"values\":[1]"),
            try error(Bitmap.self, "\"bits\":\"0000000000000001\""),
        ]
        for error in errors {
            #expect(
                error?.code == "decode.range" && error?.location == "byte \(13 + key.utf8.count)",
                "\(String(describing: error))")
        }
    }

    @Test("Hostile JSON that is cut off anywhere is an error, never a crash")
    func truncated() throws {
        var generator = PayloadGenerator(seed: 3)
        var decoder = try CanonicalDecoder<Recognition>(defaultStream: "pen")
        for _ in 0..<10 {
            let text = Array(try encode(generator.frame(generator.recognition())).utf8)
            for length in 0..<text.count {
                #expect(throws: PipelineError.self) {
                    try withPadded(text[0..<length]) { _ = try decoder.decode($0) }
                }
            }
        }
    }

    @Test("Hostile JSON with any byte changed is read or refused, never a crash")
    func corrupted() throws {
        var generator = PayloadGenerator(seed: 4)
        var decoder = try CanonicalDecoder<Hands>(defaultStream: "pen")
        for _ in 0..<5 {
            var text = Array(try encode(generator.frame(generator.hands())).utf8)
            for _ in 0..<4000 {
                let place = Int.random(in: 0..<text.count, using: &generator.random)
                let old = text[place]
                text[place] = UInt8.random(in: 0...255, using: &generator.random)
                do {
                    let message = try withPadded(text) { try decoder.decode($0) }
                    if let frame = message.frame { _ = try encode(frame) }
                } catch let error as PipelineError {
                    #expect(error.category == .frame)
                }
                text[place] = old
            }
        }
    }

    @Test("Hostile JSON that is not UTF-8 is an error")
    func utf8() throws {
        let error = #expect(throws: PipelineError.self) {
            _ = try decode(Stroke.self, bytes: Array(#"{"label":""#.utf8) + [0xC3, 0x28] + Array(#"","t_us":1}"#.utf8))
        }
        #expect(error?.code == "decode.utf8")
    }

    @Test("Canonical JSON: minus zero stays minus zero")
    func minusZero() throws {
        let frame = try #require(try decode(Stroke.self, #"{"t_us":1,"fields":"xy","pts":[-0,-0.0]}"#).frame)
        #expect(frame.payload.samples.first?.y.sign == .minus)
        #expect(try encode(frame).contains("[-0.0,-0.0]"))
    }

    @Test("Canonical JSON: whole numbers may be written with a point or an exponent")
    func wholeNumbers() throws {
        let frame = try #require(try decode(Stroke.self, #"{"t_us":1.5e3,"seq":2.0,"fields":"xy","pts":[]}"#).frame)
        #expect(frame.timestamp == .microseconds(1500))
        #expect(frame.sequence == 2)
    }

    @Test("Canonical JSON: null means the same as a missing key")
    func null() throws {
        let message = try decode(Stroke.self, #"{"label":null,"seq":null,"t_us":1,"fields":"xy","pts":[1,2]}"#)
        #expect(message.frame?.payload.label == nil)
        #expect(message.sequence == nil)
    }

    @Test("Canonical JSON: a stroke of a million points is read")
    func million() throws {
        let count = 1_000_000
        let numbers = (0..<count).map { "\($0 % 977),\($0 % 1013)" }.joined(separator: ",")
        let frame = try #require(try decode(Stroke.self, "{\"t_us\":1,\"fields\":\"xy\",\"pts\":[\(numbers)]}").frame)
        #expect(frame.payload.samples.count == count)
        #expect(frame.payload.samples.last == Sample(x: Double((count - 1) % 977), y: Double((count - 1) % 1013)))
    }
}
