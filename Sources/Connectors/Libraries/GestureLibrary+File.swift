import Pipeline
import Stages

extension GestureLibrary {
    /// The version of the format that is written, and the only version that can be read.
    static let formatVersion: Int64 = 1

    /// The size of the largest file that can be read, in bytes.
    static let largestFile = 1 << 30

    /// Reads a library from a file.
    ///
    /// - Throws: An environment error, located by line, when the file cannot be read or is not a gesture library.
    public init(readingFrom path: String) throws {
        let bytes = try WholeFile.read(path, limit: Self.largestFile)
        do {
            try self.init(json: bytes)
        } catch let error as PipelineError {
            let place = error.location.map { "\(path), \($0)" } ?? path
            throw PipelineError.environment(error.code, error.message, location: place, help: error.help)
        }
    }

    /// Reads a library from JSON.
    ///
    /// - Throws: A frame error, located by line, when the bytes are not a gesture library.
    public init(json: [UInt8]) throws {
        // Editors of some systems begin a file with a byte order mark.
        let mark = json.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var padded = json
        padded.append(contentsOf: repeatElement(0, count: JSONReader.padding))
        let reader = try JSONReader()
        do {
            self = try padded.withUnsafeBytes { bytes in
                try reader.begin(UnsafeRawBufferPointer(rebasing: bytes[mark..<json.count]))
                let library = try GestureLibraryReader(reader).library()
                try reader.end()
                return library
            }
        } catch var error as PipelineError {
            let line = 1 + json.prefix(max(0, mark + reader.offset)).count { $0 == 0x0A }
            error.location = "line \(line)"
            throw error
        }
    }

    /// Returns the library as JSON. Equal libraries give equal bytes, with one sample per line so that diffs are readable.
    ///
    /// - Throws: A frame error when a sample contains a number that is not finite.
    public func json() throws -> [UInt8] {
        var json = TextBuffer(capacity: 1 << 16)
        json.literal("{\n  \"version\": ")
        json.integer(Self.formatVersion)
        if let limits {
            json.literal(",\n  \"limits\": {\"false_accept\":")
            json.number(limits.falseAccept)
            json.literal(",\"fingerprint\":\"")
            json.hexadecimal(limits.fingerprint)
            json.literal("\",")
            if let confidence = limits.confidence { write(confidence, into: &json) }
            if let hands = limits.hands {
                json.literal("\"hands\":{")
                if let confidence = hands.confidence { write(confidence, into: &json) }
                json.literal("\"factor\":")
                json.number(hands.factor)
                json.literal("},")
            }
            json.literal("\"distances\":{")
            for (place, entry) in limits.distances.sorted(by: { $0.key < $1.key }).enumerated() {
                if place > 0 { json.literal(",") }
                json.quoted(entry.key)
                json.literal(":")
                json.number(entry.value)
            }
            json.literal("}}")
        }
        json.literal(",\n  \"gestures\": [")
        for (number, gesture) in gestures.enumerated() {
            json.plain(number == 0 ? "\n" : ",\n")
            json.literal("    {\n      \"name\": ")
            json.quoted(gesture.name)
            if !gesture.displayNames.isEmpty {
                json.literal(",\n      \"display_names\": {")
                for (place, entry) in gesture.displayNames.sorted(by: { $0.key < $1.key }).enumerated() {
                    if place > 0 { json.literal(", ") }
                    json.quoted(entry.key)
                    json.literal(": ")
                    json.quoted(entry.value)
                }
                json.literal("}")
            }
            json.literal(",\n      \"kind\": ")
            json.quoted(gesture.kind.rawValue)
            json.literal(",\n      \"samples\": [")
            for (place, sample) in gesture.samples.enumerated() {
                json.plain(place == 0 ? "\n        " : ",\n        ")
                write(sample, into: &json)
            }
            for (place, hand) in gesture.hands.enumerated() {
                json.plain(place + gesture.samples.count == 0 ? "\n        " : ",\n        ")
                json.object { hand.encode(into: &$0) }
            }
            json.plain(gesture.samples.isEmpty && gesture.hands.isEmpty ? "]" : "\n      ]")
            if !gesture.patterns.isEmpty {
                json.literal(",\n      \"patterns\": [")
                for (place, pattern) in gesture.patterns.enumerated() {
                    json.plain(place == 0 ? "\n        \"" : ",\n        \"")
                    json.hexadecimal(pattern)
                    json.byte(UInt8(ascii: "\""))
                }
                json.literal("\n      ]")
            }
            json.literal("\n    }")
        }
        json.plain(gestures.isEmpty ? "]\n}\n" : "\n  ]\n}\n")
        guard !json.hasNonFinite else {
            throw PipelineError.frame("library.not_finite", "a sample holds a number that is not finite")
        }
        return json.bytes
    }

    /// Writes the library to a file atomically. A reader sees either the old or the new library, even after a crash.
    ///
    /// - Throws: An environment error when the file cannot be written; a frame error when the library has a name or a sample with
    ///   which it could not be read again.
    public func write(to path: String) throws {
        let text = try json()
        _ = try GestureLibrary(json: text)
        try WholeFile.write(text, to: path)
    }

    /// Writes the parameters of the match confidence, followed by a comma.
    private func write(_ confidence: MatchConfidence, into json: inout TextBuffer) {
        json.literal("\"confidence\":{\"bias\":")
        json.number(confidence.bias)
        json.literal(",\"slope\":")
        json.number(confidence.slope)
        json.literal("},")
    }

    private func write(_ sample: Stroke, into json: inout TextBuffer) {
        json.literal("{\"start_us\":")
        json.integer(sample.start.rawValue)
        if !sample.counts.isEmpty {
            json.literal(",\"counts\":[")
            for (place, count) in sample.counts.enumerated() {
                if place > 0 { json.byte(UInt8(ascii: ",")) }
                json.integer(Int64(count))
            }
            json.byte(UInt8(ascii: "]"))
        }
        json.samples(sample.samples, sample.fields)
        json.member(.subject, sample.subject)
        json.byte(UInt8(ascii: "}"))
    }
}
