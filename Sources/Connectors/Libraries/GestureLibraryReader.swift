import Pipeline
import Stages

/// A reader of the JSON of a gesture library.
struct GestureLibraryReader {
    private let json: JSONReader

    /// The keys of a library.
    static let keys = ["version", "limits", "gestures"]

    init(_ json: JSONReader) { self.json = json }

    func library() throws -> GestureLibrary {
        var library = GestureLibrary()
        var version: Int64?
        var hasGestures = false
        var names: Set<String> = []
        try forEachField(of: Self.keys, in: "a gesture library") { key in
            switch key {
            case "version":
                version = try json.integer()
                guard version == GestureLibrary.formatVersion else {
                    throw PipelineError.frame(
                        "library.version", "version \(version ?? 0) of the format is not known",
                        help: "this program reads version \(GestureLibrary.formatVersion)")
                }
            case "limits":
                library.limits = try limits()
            default:
                hasGestures = true
                try json.enterArray()
                while try json.nextElement() {
                    let gesture = try gesture()
                    guard names.insert(gesture.name).inserted else {
                        throw PipelineError.frame("library.duplicate", "a second gesture is named \"\(gesture.name)\"")
                    }
                    library.gestures.append(gesture)
                }
            }
        }
        guard version != nil, hasGestures else {
            throw PipelineError.frame(
                "library.missing", "a gesture library has \"version\" and \"gestures\"",
                help: "pipectl gestures import makes a library from other files")
        }
        return library
    }

    private func limits() throws -> GestureLibrary.Limits {
        var limits = GestureLibrary.Limits(falseAccept: 0, distances: [:], fingerprint: 0)
        let keys = ["false_accept", "fingerprint", "confidence", "hands", "distances"]
        try forEachField(of: keys, in: "the limits") { key in
            switch key {
            case "false_accept": limits.falseAccept = try json.number()
            case "fingerprint":
                guard let bits = UInt64(hexadecimal: try json.stringBytes()) else {
                    throw PipelineError.frame("library.fingerprint", "a fingerprint is a text of 16 hexadecimal digits")
                }
                limits.fingerprint = bits
            case "confidence":
                limits.confidence = try confidence()
            case "hands":
                limits.hands = try limitsOfHands()
            default:
                try json.enterObject()
                while let field = try json.nextField() {
                    let name = String(decoding: field.key, as: UTF8.self)
                    let distance = try json.number()
                    guard distance >= 0, distance.isFinite else {
                        throw PipelineError.frame("library.limit", "the limit of \"\(name)\" is below 0")
                    }
                    limits.distances[name] = distance
                }
            }
        }
        return limits
    }

    private func limitsOfHands() throws -> GestureLibrary.Limits.OfHands {
        var limits = GestureLibrary.Limits.OfHands(factor: 1)
        try forEachField(of: ["confidence", "factor"], in: "the limits of hands") { key in
            guard key == "factor" else { return limits.confidence = try confidence() }
            limits.factor = try json.number()
            guard (0.001...1000).contains(limits.factor) else {
                throw PipelineError.frame("library.limit", "the factor of the limits of hands is out of range")
            }
        }
        return limits
    }

    private func confidence() throws -> MatchConfidence {
        var confidence = MatchConfidence(bias: 0, slope: 0)
        try forEachField(of: ["bias", "slope"], in: "the confidence") { key in
            let number = try json.number()
            guard abs(number) < 1000 else {
                throw PipelineError.frame("library.confidence", "\"\(key)\" of the confidence is out of range")
            }
            if key == "bias" { confidence.bias = number } else { confidence.slope = max(number, 0) }
        }
        return confidence
    }

    private func gesture() throws -> GestureLibrary.Gesture {
        var name = ""
        var gesture = GestureLibrary.Gesture(name: "")
        var samples: [LibrarySample] = []
        try forEachField(of: ["name", "display_names", "kind", "samples", "patterns"], in: "a gesture") { key in
            switch key {
            case "name":
                name = try json.string()
            case "display_names":
                try json.enterObject()
                while let field = try json.nextField() {
                    let locale = String(decoding: field.key, as: UTF8.self)
                    gesture.displayNames[locale] = try json.string()
                }
            case "kind":
                let kind = try json.string()
                guard let known = GestureLibrary.GestureKind(rawValue: kind) else {
                    let list = GestureLibrary.GestureKind.allCases.map(\.rawValue).joined(separator: ", ")
                    throw PipelineError.frame(
                        "library.kind", "gestures of kind \"\(kind)\" are not known", help: "known: \(list)")
                }
                gesture.kind = known
            case "patterns":
                try json.enterArray()
                while try json.nextElement() { gesture.patterns.append(try pattern()) }
            default:
                try json.enterArray()
                while try json.nextElement() { samples.append(try sample()) }
            }
        }
        gesture.name = name
        try GestureLibrary.check(name: name)
        guard gesture.patterns.isEmpty || gesture.kind == .bitmap else {
            throw PipelineError.frame(
                "library.kind", "\"\(name)\" is of kind \"\(gesture.kind.rawValue)\" and has patterns",
                help: "only gestures of kind \"bitmap\" have patterns")
        }
        // The key `kind` may follow the samples, so they are converted last.
        for (place, sample) in samples.enumerated() {
            do {
                if gesture.kind.isHands {
                    gesture.hands.append(try sample.hand())
                } else {
                    gesture.samples.append(try sample.stroke())
                }
            } catch let error as PipelineError {
                throw PipelineError.frame(
                    error.code, "sample \(place + 1) of \"\(name)\": \(error.message)", help: error.help)
            }
        }
        return gesture
    }

    private func pattern() throws -> UInt64 {
        guard let bits = UInt64(hexadecimal: try json.stringBytes()) else {
            throw PipelineError.frame("library.pattern", "a pattern is a text of 16 hexadecimal digits")
        }
        return bits
    }

    private func sample() throws -> LibrarySample {
        var sample = LibrarySample()
        try forEachField(of: LibrarySample.keys, in: "a sample") { key in
            sample.keys.append(key)
            switch key {
            case "start_us":
                sample.start = Timestamp(rawValue: try json.integer())
                guard sample.start.isValid else {
                    throw PipelineError.frame("library.start", "start_us lies between 0 and 2^53 − 1")
                }
            case "counts": try json.numbers(into: &sample.counts)
            case "fields": sample.fields = try json.string()
            case "pts": try json.numbers(into: &sample.numbers)
            case "subject": sample.subject = try json.string()
            case "topology": sample.topology = try json.string()
            case "space": sample.space = try json.string()
            case "conf": try json.numbers(into: &sample.confidences)
            case "world": try json.numbers(into: &sample.world)
            case "handedness": sample.handedness = try json.string()
            case "handedness_score": sample.handednessScore = try json.number()
            case "score": sample.score = try json.number()
            default: sample.presence = try json.number()
            }
        }
        return sample
    }

    /// Enters an object and calls `body` with each key. Unknown and duplicate keys are errors, because they would be lost when the
    /// library is written again.
    private func forEachField(of names: [String], in what: String, _ body: (String) throws -> Void) throws {
        var seen: Set<String> = []
        try json.enterObject()
        while let field = try json.nextField() {
            let key = String(decoding: field.key, as: UTF8.self)
            guard names.contains(key) else {
                if what == "a gesture library", seen.isEmpty, WireKey.named(key) != nil {
                    throw PipelineError.frame(
                        "library.recording", "this is a recording of frames, not a gesture library",
                        help: "pipectl gestures import LIBRARY DATA makes a library of labeled strokes")
                }
                throw PipelineError.frame(
                    "library.unknown_key", "unknown key \"\(key)\" in \(what)",
                    help: nearestName(to: key, among: names).map { "did you mean \"\($0)\"?" })
            }
            guard seen.insert(key).inserted else {
                throw PipelineError.frame("library.duplicate_key", "a second \"\(key)\" in \(what)")
            }
            try body(key)
        }
    }
}
