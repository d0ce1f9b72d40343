import Pipeline
import Testing

@testable import Connectors
@testable import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Lists of numbers")
struct NumberListTests {
    /// Returns the numbers of a list in an object, which is read like the points of a message.
    private func numbers(_ list: some StringProtocol, in document: DocumentSyntax = .json) throws -> [Double] {
        let text = "{\"pts\":\(list),\"seq\":1}"
        var message = WireMessage()
        func read(_ reader: some DocumentReader, _ bytes: UnsafeRawBufferPointer) throws {
            try reader.begin(bytes)
            try message.read(reader, keys: WireKeys(.pts, .seq))
            try reader.end()
        }
        try withPadded(text.utf8) {
            switch document {
            case .json: try read(try JSONReader(), $0)
            case .messagePack:
                try MessagePackWriter().write($0) { packed in
                    try withPadded(packed) { try read(MessagePackReader(), $0) }
                }
            }
        }
        // The reader also finds the key after the list.
        #expect(message.sequence == 1)
        return message.numbers
    }

    /// Returns a decimal number with the given counts of digits before and after its point.
    private func decimal(_ whole: Int, _ decimals: Int, _ generator: inout PayloadGenerator) -> String {
        func digits(_ count: Int) -> String {
            (0..<count).map { _ in String(Int.random(in: 0...9, using: &generator.random)) }.joined()
        }
        let sign = Bool.random(using: &generator.random) ? "-" : ""
        let front = whole == 0 ? "0" : String(Int.random(in: 1...9, using: &generator.random)) + digits(whole - 1)
        return sign + front + (decimals == 0 ? "" : "." + digits(decimals))
    }

    @Test("Lists of numbers are read to the same bits as by the C library, with any number of digits")
    func exact() throws {
        var generator = PayloadGenerator(seed: 11)
        for whole in 0...20 {
            for decimals in 0...20 {
                let texts = (0..<20).map { _ in decimal(whole, decimals, &generator) }
                let read = try numbers("[" + texts.joined(separator: ",") + "]")
                #expect(read.map(\.bitPattern) == texts.map { strtod($0, nil).bitPattern }, "\(texts)")
            }
        }
    }

    @Test(
        "Single numbers are read as by the C library",
        arguments: ["0.45560432681074600553", "-0.99344317878607387871", "1.5"])
    func alone(text: String) throws {
        let landmarks = "{\"t_us\":1,\"fields\":\"xy\",\"pts\":[],\"score\":\(text)}"
        #expect(try decode(Landmarks.self, landmarks).frame?.payload.score == strtod(text, nil))
    }

    @Test(
        "Lists of plain numbers may contain a number of another form at any index",
        arguments: ["1e-7", "-2.5E+3", "0.1234567890123456789"])
    func mixed(other: String) throws {
        for place in 0..<12 {
            var texts = (0..<12).map { "\($0).25" }
            texts[place] = other
            #expect(try numbers("[" + texts.joined(separator: ",") + "]") == texts.map { strtod($0, nil) })
        }
    }

    @Test(
        "Long lists of numbers with different numbers of decimals are read", arguments: [1023, 1024, 1025, 5000])
    func long(count: Int) throws {
        var generator = PayloadGenerator(seed: 13)
        let texts = (0..<count).map { decimal($0 % 3, $0 * 7 % 13, &generator) }
        #expect(try numbers("[" + texts.joined(separator: ",") + "]") == texts.map { strtod($0, nil) })
    }

    @Test(
        "Lists of numbers may have white space wherever JSON allows it",
        arguments: ["[1, 2 ,3]", "[ 1,2,3 ]", "[\n\t1,\r\n\t2 \t,\n3\n]", "[1 , 2 , 3]", "[1.0,2.00,3.000]"])
    func spaced(list: String) throws { #expect(try numbers(list) == [1, 2, 3]) }

    @Test("Lists of numbers may be empty", arguments: [DocumentSyntax.json, .messagePack])
    func empty(syntax: DocumentSyntax) throws { #expect(try numbers("[ ]", in: syntax) == []) }

    @Test("Lists of numbers that the text cuts off are errors, whatever bytes follow the text")
    func cut() throws {
        let text = #"{"pts":[1,2.5,-3"#
        for rest in ["", "9", ",4]}", "]}", ".5]}", " ]}", "                                ]}"] {
            let padded = Array((text + rest).utf8) + [UInt8](repeating: UInt8(ascii: "]"), count: JSONReader.padding)
            let reader = try JSONReader()
            let error = #expect(throws: PipelineError.self) {
                try padded.withUnsafeBytes {
                    var message = WireMessage()
                    try reader.begin(UnsafeRawBufferPointer(rebasing: $0[..<text.utf8.count]))
                    try message.read(reader, keys: WireKeys(.pts))
                }
            }
            #expect(error?.code == "decode.truncated", "followed by: \(rest)")
        }
    }

    @Test(
        "Lists of numbers that are invalid are refused at the first wrong character",
        arguments: [
            ("[1,2,]", "decode.syntax"), ("[1,,2]", "decode.syntax"), ("[1 2]", "decode.syntax"),
            ("[1;2]", "decode.syntax"), ("[1,-]", "decode.syntax"), ("[1,+2]", "decode.syntax"),
            ("[1,.5]", "decode.syntax"), ("[1,5.]", "decode.syntax"), ("[1,00]", "decode.syntax"),
            ("[1,-01]", "decode.syntax"), ("[1,1.2.3]", "decode.syntax"), ("[1,0x10]", "decode.syntax"),
            ("[1,1e999]", "decode.range"), ("[1,null]", "decode.type"), ("[1,[2]]", "decode.type"),
            ("[1,2}", "decode.syntax"),
        ])
    func refused(list: String, code: String) throws {
        let error = #expect(throws: PipelineError.self) { _ = try numbers(list) }
        #expect(error?.code == code, "\(String(describing: error))")
    }

    @Test("Lists of numbers of MessagePack hold numbers of every form, in any order")
    func packed() throws {
        var generator = PayloadGenerator(seed: 12)
        let forms = [
            "0", "127", "128", "255", "256", "65535", "65536", "4294967295", "4294967296", "-1", "-33", "-70000", "1.5",
            "-0.1",
        ]
        for count in [1, 2, 63, 64, 65, 200] {
            let texts = (0..<count).map { _ in forms.randomElement(using: &generator.random) ?? "0" }
            let read = try numbers("[" + texts.joined(separator: ",") + "]", in: .messagePack)
            #expect(read == texts.map { strtod($0, nil) })
        }
    }

    @Test("Lists of numbers of MessagePack may hold single floats")
    func singleFloats() throws {
        // A map of one key with three floats, 0.5, −2 and 1.
        let message: [UInt8] =
            [0x81, 0xA3, 0x70, 0x74, 0x73, 0x93] + [0xCA, 0x3F, 0, 0, 0] + [0xCA, 0xC0, 0, 0, 0] + [
                0xCA, 0x3F, 0x80, 0, 0,
            ]
        var read = WireMessage()
        try withPadded(message) {
            let reader = MessagePackReader()
            try reader.begin($0)
            try read.read(reader, keys: WireKeys(.pts))
        }
        #expect(read.numbers == [0.5, -2, 1])
    }

    @Test(
        "Lists of numbers of MessagePack are refused at the first number that is not finite",
        arguments: [0, 1, 40, 63, 64, 65, 99])
    func notFinite(place: Int) throws {
        var message: [UInt8] = [0x81, 0xA3, 0x70, 0x74, 0x73, 0xDC, 0, 100]
        for index in 0..<100 { message += [0xCB, index == place ? 0x7F : 0x3F, 0xF0, 0, 0, 0, 0, 0, 0] }
        let error = #expect(throws: PipelineError.self) {
            try withPadded(message) {
                var read = WireMessage()
                let reader = MessagePackReader()
                try reader.begin($0)
                try read.read(reader, keys: WireKeys(.pts))
            }
        }
        #expect(error?.code == "decode.not_finite")
        #expect(error?.location == "byte \(8 + 9 * place)")
    }
}
