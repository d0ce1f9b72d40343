import Pipeline
import PipelineComponents
import Stages

extension FileReplay {
    /// Reads a file that holds one frame: a gesture, or the landmarks of one video frame, in which nobody may be.
    ///
    /// - Parameters:
    ///   - name: The file name in the frame's origin.
    ///   - watch: Finds out which paths of `decode` lead to nothing; `nil` if nobody wants to know.
    /// - Throws: A frame error, located inside the file.
    func item(
        of bytes: UnsafeRawBufferPointer, _ format: FileSource.Format, _ name: String, _ watch: PathWatch?
    ) throws -> ReadItem<P> {
        if let error = binaryError(in: bytes) { throw error }
        guard format != .xml else {
            var gesture = try GestureXML.read(bytes)
            if gesture.raisedTimes > 0 { gestures.noteRaisedFile(name) }
            let sequence = gestures.place(&gesture.stroke, of: defaultStream)
            return .frame(try frame(gesture.stroke, at: gesture.stroke.end, sequence, name, line: gesture.line))
        }
        let (time, sequence) = gestures.next(of: defaultStream, hz: options.decode.hz)
        if format == .openpose {
            var decoder = try MessageDecoder<P>(
                options.messages(in: format), defaultStream: defaultStream, landmarks: options.landmarks, watch: watch)
            guard let payload = try decoder.decode(bytes, receivedAt: time.rawValue).frame?.payload else {
                return .empty(defaultStream, time, sequence)
            }
            return .frame(try frame(payload, at: time, sequence, name))
        }
        let sets = try MediaPipeText.sets(in: bytes, options.landmarks)
        if P.self == Hands.self { return .frame(try frame(Hands(hands: sets), at: time, sequence, name)) }
        guard let only = sets.first, sets.count == 1 else {
            throw PipelineError.frame(
                "decode.count", "\(sets.isEmpty ? "no set" : "\(sets.count) sets") of landmarks in the file",
                help: "kind: landmarks needs exactly one set, kind: hands accepts any number")
        }
        return .frame(try frame(only, at: time, sequence, name))
    }

    private func frame(
        _ payload: some Payload, at time: Timestamp, _ sequence: Int64, _ name: String, line: Int = 1
    ) throws -> Frame<P> {
        guard let typed = payload as? P else {
            throw PipelineError.frame("decode.kind", "the file holds \(type(of: payload).kind), not \(P.kind)")
        }
        return Frame(
            typed, at: time, stream: defaultStream, sequence: sequence,
            origin: Origin(file: name, line: options.origin ? Int64(line) : nil))
    }
}

extension FileSource.Format {
    /// Whether a file of this format holds exactly one frame.
    var isDocument: Bool { self == .xml || isLandmarks }

    /// Whether a file of this format holds only landmarks.
    var isLandmarks: Bool { self == .pbtxt || self == .openpose }
}

extension FileSource.Options {
    /// Returns the decode options, with the preset that a file format implies.
    func messages(in format: FileSource.Format) -> DecodeOptions {
        var decode = decode
        if format == .openpose, decode.preset ?? .canonical == .canonical { decode.preset = .openpose }
        return decode
    }

    /// The known traits of the landmarks: the configured ones, and those that follow from the file format, if it is known.
    var knownLandmarks: LandmarkTraits {
        var known = messages(in: knownFormat).landmarks(landmarks, for: kind)
        if knownFormat == .pbtxt {
            known.space = known.space ?? .normalized
            known.y = known.y ?? .down
        }
        return known
    }

    private var knownFormat: FileSource.Format {
        wantedFormat == .auto ? FileFormat.named(path.path) ?? .auto : wantedFormat
    }
}

/// The detection of file formats, by file extension and content.
enum FileFormat {
    /// Returns the format of a file. This is `wanted`, unless that is `auto`. With `auto`, an MCAP file is recognized by its first
    /// bytes, whatever its name. The format of any other file follows from its extension, or else from its first character that is
    /// not blank.
    static func format(
        _ wanted: FileSource.Format, path: String, _ lines: LineReader
    ) throws(SystemError) -> FileSource.Format {
        guard wanted == .auto else { return wanted }
        let head = try lines.peek()
        if head.starts(with: MCAPFile.beginning) { return .mcap }
        if let known = named(path) { return known }
        let first = afterMark(head).first { $0 > 0x20 }
        return first == UInt8(ascii: "<") ? .xml : first == UInt8(ascii: "{") || first == nil ? .jsonl : .csv
    }

    /// Throws an environment error if a file contains something other than messages or the rows of a table:
    ///
    /// - `file.pipeline` if its name is that of a pipeline in YAML.
    /// - `file.array` if it begins like a JSON array of objects.
    /// - `file.library` if it begins like a gesture library: with an object that has gestures or limits, and no keys that a
    ///   library cannot have.
    /// - `file.document` if it begins with another object over several lines.
    ///
    /// - Parameter isMapped: Whether `decode` describes the messages. They can then look like anything but the last of these.
    static func refuseOther(
        _ format: FileSource.Format, _ path: String, _ lines: LineReader, isMapped: Bool = false
    ) throws {
        if format == .csv, !isMapped, ["yaml", "yml"].contains(fileExtension(path)) {
            throw PipelineError.environment(
                "file.pipeline", "\(path) is a pipeline, not data", help: "pipectl run \(path) runs it")
        }
        guard format == .jsonl else { return }
        let head = try lines.peek()
        if !isMapped, afterMark(head).lazy.filter({ $0 > 0x20 }).prefix(2).elementsEqual("[{".utf8) {
            throw PipelineError.environment(
                "file.array", "\(path) is one JSON array, not JSON Lines",
                help: "write its elements on lines of their own: jq -c '.[]' \(path) > \(path).jsonl")
        }
        let keys = isMapped ? [] : firstKeys(head)
        if keys.contains("gestures") || keys.contains("limits"), keys.isSubset(of: GestureLibraryReader.keys) {
            throw PipelineError.environment(
                "file.library", "\(path) is a gesture library, not a recording",
                help: "pipectl gestures list shows its gestures, and pipectl eval measures how well they are recognized"
            )
        }
        if isOverLines(head) {
            throw PipelineError.environment(
                "file.document", "\(path) is one JSON document over several lines, not JSON Lines",
                help: "write it on one line: jq -c . \(path) > \(path).jsonl")
        }
    }

    /// Returns whether a text begins with an object that its first line leaves unfinished and its second line continues. A message
    /// after one that was cut off continues nothing: it begins with a brace.
    private static func isOverLines(_ head: UnsafeRawBufferPointer) -> Bool {
        let text = afterMark(head).drop { $0 <= 0x20 }
        guard text.first == UInt8(ascii: "{"), let feed = text.firstIndex(of: 0x0A),
            let next = text[(feed + 1)...].first, " \t\"}],".utf8.contains(next)
        else { return false }
        let line = UnsafeRawBufferPointer(rebasing: text[..<feed])
        guard String(validating: line, as: UTF8.self) != nil else { return false }
        var buffer = TextBuffer(capacity: 256)
        // An unfinished object fails at its end.
        return JSONRewriter.rewrite(line, maxDepth: 1000, into: &buffer)?.offset == line.count
    }

    /// Returns a text without the byte order mark at its beginning.
    private static func afterMark(_ head: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
        head.dropFirst(head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
    }

    /// Returns the keys of the object with which a text begins, as far as they are in its first 64 KiB.
    private static func firstKeys(_ head: UnsafeRawBufferPointer) -> Set<String> {
        var keys: Set<String> = []
        // The last text, and whether the scan is inside of a text or after a backslash in it.
        var (text, isText, isEscaped) = ([UInt8](), false, false)
        var depth = 0
        for byte in afterMark(head).prefix(1 << 16) {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isText: isEscaped = true
            case UInt8(ascii: "\""):
                isText.toggle()
                if isText { text = [] }
            case _ where isText: if text.count < 16 { text.append(byte) }
            case UInt8(ascii: ":") where depth == 1: keys.insert(String(decoding: text, as: UTF8.self))
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "[") where depth > 0: depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth <= 0 { return keys }
            case _ where depth == 0 && byte > 0x20: return keys
            default: break
            }
        }
        return keys
    }

    /// Returns the format that a file extension implies, or `nil` if it implies none.
    static func named(_ path: String) -> FileSource.Format? {
        let path = FileCompression.unpacked(path)
        return switch fileExtension(path) {
        case "xml": .xml
        case "mcap": .mcap
        case "csv": .csv
        case "msgpack": .msgpack
        case "pbtxt", "prototxt", "textproto": .pbtxt
        // The suffix that OpenPose gives its files.
        case "json" where path.hasSuffix("_keypoints.json"): .openpose
        case "jsonl", "ndjson", "json": .jsonl
        default: nil
        }
    }

    /// Returns the extensions of the files of a format.
    static func extensions(_ format: FileSource.Format) -> [String] {
        switch format {
        case .auto:
            [.jsonl, .msgpack, .csv, .mcap].flatMap { extensions($0) } + ["xml", "pbtxt", "prototxt", "textproto"]
        case .jsonl: FileCompression.packed(["jsonl", "ndjson", "json"])
        case .msgpack: FileCompression.packed(["msgpack"])
        case .csv: FileCompression.packed(["csv"])
        case .mcap: ["mcap"]
        case .xml: ["xml"]
        case .pbtxt: ["pbtxt", "prototxt", "textproto"]
        case .openpose: ["json"]
        }
    }
}
