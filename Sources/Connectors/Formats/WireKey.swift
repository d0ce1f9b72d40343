import Stages

/// The keys of canonical messages.
package enum WireKey: UInt8, CaseIterable, Sendable {
    case v, kind, stream, seq, tUs, recvUs, clock, file, line, end, restarts, quiet
    case fields, pts, startUs, endUs, counts, label, subject
    case phase, stroke
    case topology, space, conf, world, handedness, handednessScore, score, presence, track, doubt
    case hands, categories, margin, confidence, matcher, values, bits
    case strips, mesh
    // The keys of failed frames, which are written but never read.
    case node, code, message, location, frame

    /// The key as it is written in messages.
    package var name: String { String(String(describing: member).dropFirst(2).dropLast(2)) }

    /// The text before the value in a message: a comma, the key in quotes, and a colon.
    // Each key has its own literal, so that writing a key known at compile time only copies bytes.
    @inline(__always)
    var member: StaticString {
        switch self {
        case .v: ",\"v\":"
        case .kind: ",\"kind\":"
        case .stream: ",\"stream\":"
        case .seq: ",\"seq\":"
        case .tUs: ",\"t_us\":"
        case .recvUs: ",\"recv_us\":"
        case .clock: ",\"clock\":"
        case .file: ",\"file\":"
        case .line: ",\"line\":"
        case .end: ",\"end\":"
        case .restarts: ",\"restarts\":"
        case .quiet: ",\"quiet\":"
        case .fields: ",\"fields\":"
        case .pts: ",\"pts\":"
        case .startUs: ",\"start_us\":"
        case .endUs: ",\"end_us\":"
        case .counts: ",\"counts\":"
        case .label: ",\"label\":"
        case .subject: ",\"subject\":"
        case .phase: ",\"phase\":"
        case .stroke: ",\"stroke\":"
        case .topology: ",\"topology\":"
        case .space: ",\"space\":"
        case .conf: ",\"conf\":"
        case .world: ",\"world\":"
        case .handedness: ",\"handedness\":"
        case .handednessScore: ",\"handedness_score\":"
        case .score: ",\"score\":"
        case .presence: ",\"presence\":"
        case .track: ",\"track\":"
        case .doubt: ",\"doubt\":"
        case .hands: ",\"hands\":"
        case .categories: ",\"categories\":"
        case .margin: ",\"margin\":"
        case .confidence: ",\"confidence\":"
        case .matcher: ",\"matcher\":"
        case .values: ",\"values\":"
        case .bits: ",\"bits\":"
        case .strips: ",\"strips\":"
        case .mesh: ",\"mesh\":"
        case .node: ",\"node\":"
        case .code: ",\"code\":"
        case .message: ",\"message\":"
        case .location: ",\"location\":"
        case .frame: ",\"frame\":"
        }
    }

    /// Returns the key with a name in UTF-8, if any. O(1).
    static func named(_ bytes: UnsafeRawBufferPointer) -> WireKey? { table.key(bytes) }

    /// Returns the key with a name, if any.
    static func named(_ name: String) -> WireKey? {
        var name = name
        return name.withUTF8 { named(UnsafeRawBufferPointer($0)) }
    }

    /// The table of all keys by name.
    static let table = Table()

    /// A hash table of the keys by name, with open addressing.
    struct Table: Sendable {
        private var slots = [(spelling: KeySpelling, key: WireKey)?](repeating: nil, count: 128)

        fileprivate init() {
            for key in WireKey.allCases {
                var name = key.name
                let spelling = name.withUTF8 { KeySpelling(UnsafeRawBufferPointer($0)) }
                var place = spelling.place
                while slots[place] != nil { place = (place + 1) & 127 }
                slots[place] = (spelling, key)
            }
        }

        /// Returns the key with a name in UTF-8, if any. O(1).
        func key(_ bytes: UnsafeRawBufferPointer) -> WireKey? {
            guard !bytes.isEmpty, bytes.count <= 16 else { return nil }
            let spelling = KeySpelling(bytes)
            var place = spelling.place
            while let slot = slots[place] {
                if slot.spelling == spelling { return slot.key }
                place = (place + 1) & 127
            }
            return nil
        }
    }
}

/// A set of keys.
public struct WireKeys: OptionSet, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Creates the set of the given keys.
    package init(_ keys: WireKey...) { rawValue = keys.reduce(0) { $0 | (1 << UInt64($1.rawValue)) } }

    /// Returns whether the set contains a key.
    package func contains(_ key: WireKey) -> Bool { rawValue & (1 << UInt64(key.rawValue)) != 0 }

    /// Adds a key.
    package mutating func insert(_ key: WireKey) { self = WireKeys(rawValue: rawValue | (1 << UInt64(key.rawValue))) }

    /// Returns whether the set contains the key with a name.
    func contains(named name: String) -> Bool { WireKey.named(name).map(contains) ?? false }

    /// The keys of the envelope, which a message can have regardless of its payload.
    package static let envelope = WireKeys(
        .v, .kind, .stream, .seq, .tUs, .recvUs, .clock, .file, .line, .end, .restarts, .quiet)
}
