import Pipeline
import Testing

@testable import Connectors
@testable import Stages

/// Documents with the usual syntax are decoded on a fast path, which must give the same result as the slow path. To get the slow
/// path as the reference, the tests first let a decoder decode an unusual document: it then uses the slow path for a while.
@Suite("Documents in plain ASCII")
struct PlainDocumentTests {
    private static let pieces = Array("{}[]:,\"\\ \t01.9-eE+tfn".utf8) + [0, 1, 0x7F, 0x80, 0xC3, 0xA9, 0xFF]

    /// Returns the result of decoding a document, as text.
    private func outcome<P: WirePayload>(_ bytes: [UInt8], _ decoder: inout MessageDecoder<P>) -> String {
        withPadded(bytes) { bytes in
            do {
                return "\(try decoder.decode(bytes, receivedAt: 7)) \(decoder.unread())"
            } catch {
                return "\(error) \(decoder.unread())"
            }
        }
    }

    private func compare<P: WirePayload>(
        _ payload: P.Type, _ documents: [String], _ options: DecodeOptions = DecodeOptions()
    ) throws {
        var random = PayloadGenerator(seed: 21).random
        var failures = 0
        for document in documents {
            for round in 0..<400 {
                var bytes = Array(document.utf8)
                for _ in 0..<min(round, 1 + round % 3) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    let piece = Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &random)]
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: bytes[place] = piece
                    case 1: bytes.insert(piece, at: place)
                    default: if bytes.count > 1 { bytes.remove(at: place) }
                    }
                }
                var decoder = try MessageDecoder<P>(options, defaultStream: "pen")
                var other = try MessageDecoder<P>(options, defaultStream: "pen")
                _ = outcome(Array("{\"unusual\":\"\\u0041\"}".utf8), &other)
                let expected = outcome(bytes, &other)
                if expected.contains("decode.") { failures += 1 }
                #expect(
                    outcome(bytes, &decoder) == expected, "\(String(decoding: bytes, as: UTF8.self))")
            }
        }
        #expect(failures > 100 * documents.count && failures < 400 * documents.count)
    }

    @Test("Canonical documents in plain ASCII give the same result or error on the fast path as on the slow one")
    func canonical() throws {
        try compare(
            Stroke.self,
            [
                #"{"v":1,"kind":"stroke","stream":"pen/1","seq":3,"t_us":9,"start_us":4,"fields":"xyt","pts":[1.5,-2,0,3,4.25,8000],"label":"a","subject":"b"}"#,
                #" { "t_us" : 9 , "fields" : "xy" , "pts" : [ 1 , 2 , 3 , 4 ] , "counts" : [ 1 , 1 ] , "end" : true } "#,
                #"{"t_us":1,"fields":"xy","pts":[],"other":{"a":[1,{"b":null}],"c":"d"},"more":-1e5}"#,
                #"{"t_us":1,"stream":"seven 7","label":"eight 88","subject":"a name of more than sixteen","fields":"xy","pts":[1,2],"a key of sixteen":""}"#,
            ])
        try compare(
            Hands.self,
            [
                #"{"t_us":5,"hands":[{"topology":"hand21","fields":"xyz","pts":[0.5,0.25,0,1,2,3],"score":0.75,"track":1},{"fields":"xy","pts":[1,2],"handedness":"Left"}]}"#
            ])
    }

    @Test("Other programs' documents in plain ASCII give the same result or error on the fast path as on the slow one")
    func mapped() throws {
        var options = DecodeOptions()
        options.points = [try FieldPath("points")]
        options.fields = try PointFields("xyt")
        options.t = [try FieldPath("head.ts")]
        options.tUnit = .us
        options.label = [try FieldPath("id")]
        try compare(
            Stroke.self,
            [
                #"{"id":"a","head":{"ts":12,"x":[1,2]},"points":[[1,2,0],[3.5,-4,8000],[5,6,16000]]}"#,
                #"{"id":7,"skip":{"a":[1,[2,"]"]],"b":"}"},"head":{"ts":1.5},"points":[ [ 1 , 2 , 0 ] , [3,4,1] ]}"#,
                #"{"points":[{"x":1,"y":2,"t":0},{"x":3,"y":4,"t":5,"name":"z"}],"head":{"ts":3}}"#,
            ], options)
    }
}
