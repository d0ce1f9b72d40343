import Pipeline
import Testing

@testable import Connectors
@testable import Stages

/// A decoder reads points in rows in one pass if it can, and expects the names that the rows of the previous message had. The
/// order of messages must not matter: a decoder that has read other messages must give the same result as a new one.
@Suite("Points in rows")
struct PointTableTests {
    private static let shapes = [
        #"[[1.5,2,8],[3,-4.25,16],[5,6,24]]"#,
        #"[{"x":1.5,"y":2,"t":8},{"x":3,"y":-4.25,"t":16},{"x":5,"y":6,"t":24}]"#,
        #"[{"x": 1.5, "y": 2, "visibility": 0.5}, {"x": 3, "y": 4, "visibility": 0}]"#,
        #"[{"x":1,"id":7,"y":2},{"x":3,"id":8,"y":4}]"#,
        #"[{"x":1,"y":2},{"x":3,"y":4,"p":0.5},{"y":6,"x":5}]"#,
        #"[{"x":1,"y":2,"t":null},{"x":3,"y":4,"t":8}]"#,
        #"[{"x":1,"y":2,"c":0.5,"score":0.75},{"x":3,"y":4,"c":0,"score":1}]"#,
        #"{"x":[1,2,3],"y":[4,5,6],"t":[0,8,16]}"#,
        #"{"y":[4,5],"x":[1,2]}"#,
        #"{"x":[1,2],"y":[4]}"#,
        #"{"0":[1,2,3],"1":[4,5,6],"2":[7,8,9]}"#,
        #"{"1":[1,2,3],"2":[4,5,6]}"#,
        #"{"1":[1,2,3],"0":[4,5,6]}"#,
        #"{"0":{"x":1,"y":2,"t":3},"1":{"x":4,"y":5,"t":6}}"#,
        #"{"0":[1,2,3],"more":1}"#,
        #"{"0":[1,2,3],"2":[4,5,6]}"#,
        #"[[1,2],[3,4]]"#, #"[[1,2,3],[4,5]]"#, #"[[],[]]"#, #"[]"#, #"{}"#, #"{"x":1,"y":2}"#, #"[[1e400,2,3]]"#,
    ]

    /// Returns the payload of a decoded message, or the error, as text.
    private func outcome(_ bytes: [UInt8], _ decoder: inout MessageDecoder<Stroke>) -> String {
        withPadded(bytes) { bytes in
            do {
                return "\(try decoder.decode(bytes, receivedAt: 7).frame.map { "\($0.payload)" } ?? "nothing")"
            } catch {
                return "\(error)"
            }
        }
    }

    private func decoder(_ format: DecodeOptions.Format) throws -> MessageDecoder<Stroke> {
        var options = DecodeOptions()
        options.format = format
        (options.points, options.t) = ([try FieldPath("points")], [try FieldPath("time")])
        (options.tUnit, options.fields) = (.us, try PointFields("xyt"))
        return try MessageDecoder(options, defaultStream: "pen")
    }

    private func message(_ shape: String, _ format: DecodeOptions.Format) throws -> [UInt8] {
        let text = #"{"time":90,"points":\#(shape)}"#
        guard format == .msgpack else { return Array(text.utf8) }
        var buffer = TextBuffer()
        buffer.plain(text)
        return try buffer.withPaddedBytes { try MessagePackWriter().write($0) { Array($0) } }
    }

    @Test(
        "Points in rows: a message gives the same result after any other message as in a new decoder",
        arguments: [DecodeOptions.Format.json, .msgpack])
    func order(format: DecodeOptions.Format) throws {
        for first in Self.shapes {
            for second in Self.shapes {
                guard let before = try? message(first, format), let bytes = try? message(second, format) else {
                    continue
                }
                var fresh = try decoder(format)
                var used = try decoder(format)
                _ = outcome(before, &used)
                let expected = outcome(bytes, &fresh)
                #expect(outcome(bytes, &used) == expected, "\(second) after \(first)")
                #expect(outcome(bytes, &used) == expected, "\(second) twice after \(first)")
            }
        }
    }

    @Test(
        "Points in rows: a damaged message gives the same result in a used decoder as in a new one",
        arguments: [DecodeOptions.Format.json, .msgpack])
    func damage(format: DecodeOptions.Format) throws {
        var random = PayloadGenerator(seed: 5).random
        for shape in Self.shapes {
            guard let bytes = try? message(shape, format) else { continue }
            var used = try decoder(format)
            for _ in 0..<FuzzTests.rounds {
                var damaged = bytes
                let place = Int.random(in: 1..<damaged.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: damaged[place] = UInt8.random(in: 0...255, using: &random)
                case 1: damaged.removeLast(damaged.count - place)
                default: damaged.remove(at: place)
                }
                var fresh = try decoder(format)
                _ = outcome(bytes, &used)
                #expect(outcome(damaged, &used) == outcome(damaged, &fresh), "\(shape): \(damaged)")
            }
        }
    }

    // Found by random damage. A value that is skipped because it is null must be null.
    @Test(
        "Points in rows: a damaged null is an error, in a new decoder as after other messages",
        arguments: ["nu:l", "nul", "nulll", "n"])
    func damagedNull(text: String) throws {
        let whole = Array(#"{"time":90,"points":[{"x":1,"y":2,"t":null},{"x":3,"y":4,"t":null}]}"#.utf8)
        let damaged = Array(#"{"time":90,"points":[{"x":1,"y":2,"t":\#(text)},{"x":3,"y":4,"t":null}]}"#.utf8)
        var (fresh, used) = (try decoder(.json), try decoder(.json))
        #expect(outcome(damaged, &fresh).contains("[decode.syntax]"))
        #expect(!outcome(whole, &used).contains("[decode."))
        #expect(outcome(damaged, &used).contains("[decode.syntax]"))
    }

    @Test("Points in rows: points by name, in columns and in rows give the same hand, in the order of the topology")
    func hands() throws {
        let names = Topology.hand21.otherNames
        let rows = names.indices.map { "[\($0),\($0 * 2),0.5]" }
        let named = "{" + zip(names, rows).map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
        let columns =
            #"{"x":[\#(names.indices.map(String.init).joined(separator: ","))],"#
            + #""y":[\#(names.indices.map { String($0 * 2) }.joined(separator: ","))],"#
            + #""z":[\#(names.map { _ in "0.5" }.joined(separator: ","))]}"#
        let expected = names.indices.map { Landmarks.Point(x: Double($0), y: Double($0 * 2), z: 0.5) }
        for shape in [named, columns, "[\(rows.joined(separator: ","))]"] {
            var options = DecodeOptions()
            options.points = [try FieldPath("hands[*]")]
            var decoder = try MessageDecoder<Hands>(options, defaultStream: "camera")
            for _ in 0..<3 {
                let message = try withPadded(Array("{\"hands\":[\(shape),\(shape)]}".utf8)) {
                    try decoder.decode($0, receivedAt: 7)
                }
                #expect(message.frame?.payload.hands.map(\.points) == [expected, expected])
                #expect(message.frame?.payload.hands.allSatisfy(\.hasDepth) == true)
            }
        }
    }
}
