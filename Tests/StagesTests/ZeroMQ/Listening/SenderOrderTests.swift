import Pipeline
import PipelineConfiguration
import Testing

@testable import Connectors

/// The fields of a sender's messages for stream, time and sequence number, and the configuration that should be guessed from
/// them.
struct CountingSender: Sendable, CustomTestStringConvertible {
    let name: String
    /// The fields next to the points of each message, after its topic if it has one.
    let messages: [(topic: String?, fields: String)]
    var decode: [String] = []
    var clampsTimes = false
    var lost: Int64 = 0

    var testDescription: String { name }

    var received: [ReceivedMessage] {
        messages.enumerated().map { index, message in
            let payload = Array("{\"p\":\(SenderMessages.rows),\(message.fields)}".utf8)
            return ReceivedMessage(
                parts: message.topic.map { [Array($0.utf8), payload] } ?? [payload],
                arrival: 1_000_000_000 + Int64(index) * 20_000_000)
        }
    }

    static func plain(_ count: Int, _ fields: (Int) -> String) -> [(topic: String?, fields: String)] {
        (0..<count).map { (nil, fields($0)) }
    }

    static let all: [CountingSender] = [
        CountingSender(name: "a counter", messages: plain(20) { "\"n\":\($0)" }, decode: ["seq: n"]),
        CountingSender(
            name: "a counter with a gap", messages: plain(20) { "\"n\":\($0 < 15 ? $0 : $0 + 3)" }, decode: ["seq: n"],
            lost: 3),
        CountingSender(name: "a counter in steps of two", messages: plain(20) { "\"frame\":\(2 * $0)" }),
        CountingSender(name: "a counter that stands still", messages: plain(20) { _ in "\"frame\":7" }),
        CountingSender(
            name: "a counter that increases with every second message", messages: plain(20) { "\"frame\":\($0 / 2)" }),
        CountingSender(
            name: "a number in steps of two, and a counter",
            messages: plain(20) { "\"frame\":\(2 * $0),\"seq\":\($0)" },
            decode: ["seq: seq"]),
        CountingSender(
            name: "one counter shared by five topics", messages: (0..<20).map { ("cam/\($0 % 5)", "\"n\":\($0)") }),
        CountingSender(
            name: "one counter shared by two topics in irregular order",
            messages: [0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1].enumerated().map { ("cam/\($1)", "\"n\":\($0)") }),
        CountingSender(
            name: "a counter for each of two topics", messages: (0..<20).map { ("cam/\($0 % 2)", "\"n\":\($0 / 2)") },
            decode: ["seq: n"]),
        CountingSender(
            name: "a counter for each of two cameras",
            messages: plain(20) { "\"cam\":\"\($0 % 2 == 0 ? "A" : "B")\",\"n\":\($0 / 2)" },
            decode: ["seq: n", "stream: cam"]),
        CountingSender(
            name: "cameras that are numbers", messages: plain(20) { "\"camera\":\($0 % 2),\"n\":\($0 / 2)" },
            decode: ["seq: n", "stream: camera"]),
        CountingSender(
            name: "two hands a frame, with names",
            messages: plain(20) { "\"ts_ms\":\(4000 + $0 / 2 * 33),\"label\":\"\($0 % 2 == 0 ? "Left" : "Right")\"" },
            decode: ["t: ts_ms", "t_unit: ms", "stream: label"]),
        CountingSender(
            name: "two hands a frame, without names", messages: plain(20) { "\"ts_ms\":\(4000 + $0 / 2 * 33)" },
            decode: ["t: ts_ms", "t_unit: ms"], clampsTimes: true),
        CountingSender(
            name: "another name in every message",
            messages: plain(20) { "\"ts_ms\":\(4000 + $0 / 2 * 33),\"id\":\"m\($0)\"" },
            decode: ["t: ts_ms", "t_unit: ms"], clampsTimes: true),
    ]
}

@Suite("The times and numbers of a guessed configuration")
struct SenderOrderTests {
    @Test(
        "The guessed times and sequence numbers lose no message, and only missing messages count as lost",
        arguments: CountingSender.all)
    func counting(sender: CountingSender) throws {
        var survey = SenderSurvey()
        for message in sender.received { survey.take(message) }
        let guess = try #require(survey.guess)
        #expect(
            guess.decode.entries.map { "\($0.name): \($0.yaml)" }.filter { !$0.hasPrefix("points") } == sender.decode)
        #expect(guess.clampsTimes == sender.clampsTimes)
        #expect(survey.streams.reduce(0) { $0 + $1.lost } == sender.lost)
        #expect(survey.streams.reduce(0) { $0 + $1.messages } == sender.messages.count)
        #expect(survey.failed == 0)
    }

    @Test("The guessed pipeline has no finding, and says why it keeps messages that are out of order")
    func disorder() throws {
        let place = MessageListener.Place(try ZMQEndpoint("tcp://127.0.0.1:5556"))
        for sender in CountingSender.all {
            var survey = SenderSurvey()
            for message in sender.received { survey.take(message) }
            let yaml = try #require(survey.suggestion(place))
            let loaded = PipelineLoader(registry: .standard).load(text: yaml)
            #expect(DiagnosticRenderer(texts: loaded.texts).render(loaded.diagnostics) == "")
            #expect(yaml.contains("# Times repeat or go back") == sender.clampsTimes)
        }
    }

    @Test("A guess for messages of two shapes reads the more frequent one and says how many do not fit")
    func shapes() throws {
        let place = MessageListener.Place(try ZMQEndpoint("tcp://127.0.0.1:5556"))
        var survey = SenderSurvey()
        for number in 0..<20 {
            let isHand = number % 4 != 0
            let payload = isHand ? "{\"p\":\(SenderMessages.rows)" : "{\"pose\":[[1,2,3],[4,5,6],[7,8,9],[1,1,1]]"
            survey.take(
                ReceivedMessage(
                    parts: [Array((isHand ? "hand" : "pose").utf8), Array("\(payload),\"n\":\(number)}".utf8)],
                    arrival: Int64(number) * 20_000_000))
        }
        #expect(survey.guess?.kind == .hands)
        #expect(survey.failed == 5)
        #expect(survey.streams.map(\.lost) == [0, 0])
        #expect(survey.suggestion(place)?.hasPrefix("# 5 of the 20 messages seen do not fit: ") == true)
    }

    @Test("A guess counts the messages that no source can read apart from those of another shape")
    func damaged() throws {
        let place = MessageListener.Place(try ZMQEndpoint("tcp://127.0.0.1:5556"))
        var survey = SenderSurvey()
        for number in 0..<20 {
            let payload =
                number % 10 == 9
                ? "{\"p\":[NaN]}" : number % 4 == 0 ? "{\"pose\":[[1,2,3],[4,5,6]]}" : "{\"p\":\(SenderMessages.rows)}"
            survey.take(ReceivedMessage(parts: [Array(payload.utf8)], arrival: Int64(number) * 20_000_000))
        }
        #expect(survey.guess?.kind == .hands && survey.failed == 7)
        let lines = try #require(survey.suggestion(place)).split(separator: "\n")
        #expect(lines[0].hasPrefix("# 5 of the 20 messages seen do not fit: "))
        #expect(lines[1].hasPrefix("# 2 of the 20 messages seen cannot be read by any source: "))
        #expect(lines[2] == "version: 1")
    }

    @Test("A number is proposed although nothing is detected in some messages")
    func nobody() {
        var survey = SenderSurvey()
        for number in 0..<40 {
            let hands = number == 20 ? "" : "{\"keypoints\":\(SenderMessages.rows)}"
            survey.take(
                ReceivedMessage(
                    parts: [Array("{\"hands\":[\(hands)],\"frame\":\(812 + number)}".utf8)],
                    arrival: Int64(number) * 20_000_000))
        }
        #expect(survey.guess?.decode.seq.map(\.description) == ["frame"])
        #expect(survey.streams.map(\.lost) == [0])
    }

    @Test("listen follows 1,000 streams, and counts further ones")
    func streams() {
        var survey = SenderSurvey()
        for number in 0..<1010 {
            survey.take(
                ReceivedMessage(parts: [Array("s\(number)".utf8), Array("{}".utf8)], arrival: Int64(number)))
        }
        #expect(survey.streams.count == 1000 && survey.unfollowed == 10)
    }
}
