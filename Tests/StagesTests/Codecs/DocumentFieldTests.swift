import Pipeline
import Testing

@testable import Connectors

@Suite("Fields of documents")
struct DocumentFieldTests {
    private struct Found: Equatable {
        let key: String
        let place: Int
        let type: DocumentType?

        init(_ key: String, _ place: Int, _ type: DocumentType?) {
            (self.key, self.place, self.type) = (key, place, type)
        }
    }

    /// Returns the fields of an object, without reading any of their values.
    private func fields(_ reader: some DocumentReader, _ document: [UInt8]) throws -> [Found] {
        try withPadded(document) {
            try reader.begin($0)
            try reader.enterObject()
            var found: [Found] = []
            while let field = try reader.nextField() {
                found.append(Found(String(decoding: field.key, as: UTF8.self), field.place, field.type))
                #expect(field.place == reader.offset)
            }
            try reader.end()
            return found
        }
    }

    /// Returns the first field of an object, and the error thrown when the type of its value is requested.
    private func first(_ reader: some DocumentReader, _ document: [UInt8]) throws -> (Found?, PipelineError?) {
        try withPadded(document) {
            try reader.begin($0)
            try reader.enterObject()
            let found = try reader.nextField().map {
                Found(String(decoding: $0.key, as: UTF8.self), $0.place, $0.type)
            }
            return (found, #expect(throws: PipelineError.self) { try reader.type() })
        }
    }

    @Test("Fields of JSON give their keys and the positions and types of their values")
    func json() throws {
        let text = #"{"a":1,"b":"x","c":[2],"d":{},"e":true,"f" : null,"g\u0067":-3}"#
        #expect(
            try fields(try JSONReader(), Array(text.utf8)) == [
                Found("a", 5, .number), Found("b", 11, .string), Found("c", 19, .array), Found("d", 27, .object),
                Found("e", 34, .boolean), Found("f", 45, .null), Found("gg", 60, .number),
            ])
    }

    @Test("Fields of MessagePack give their keys and the positions and types of their values")
    func messagePack() throws {
        let bytes: [UInt8] = [
            0x88, 0xA1, 0x61, 0x01, 0xA1, 0x62, 0xA1, 0x78, 0xA1, 0x63, 0x91, 0x02, 0xA1, 0x64, 0x80, 0xA1, 0x65, 0xC3,
            0xA1, 0x66, 0xC0, 0xA1, 0x67, 0xFD, 0xD9, 0x01, 0x68, 0xC4, 0x01, 0xFF,
        ]
        #expect(
            try fields(MessagePackReader(), bytes) == [
                Found("a", 3, .number), Found("b", 6, .string), Found("c", 10, .array), Found("d", 14, .object),
                Found("e", 17, .boolean), Found("f", 20, .null), Found("g", 23, .number), Found("h", 27, .bytes),
            ])
    }

    @Test("Fields of JSON with invalid values have no type, and reading one says why")
    func noJSON() throws {
        let (found, error) = try first(try JSONReader(), Array(#"{"a":x}"#.utf8))
        #expect(found == Found("a", 5, nil))
        #expect(error?.code == "decode.syntax")
        #expect(error?.location == "byte 5")
    }

    @Test(
        "Fields of MessagePack with invalid or missing values have no type, and reading one says why",
        arguments: [
            ([0x81, 0xA2, 0x61, 0x62, 0xC1] as [UInt8], "decode.syntax"),
            ([0x81, 0xA2, 0x61, 0x62], "decode.truncated"),
        ])
    func noMessagePack(bytes: [UInt8], code: String) throws {
        let (found, error) = try first(MessagePackReader(), bytes)
        #expect(found == Found("ab", 4, nil))
        #expect(error?.code == code)
        #expect(error?.location == "byte 4")
    }
}
