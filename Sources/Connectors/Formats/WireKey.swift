import Stages

/// The keys that messages on the wire, and lines of a file, can have.
package enum WireKey: UInt8, CaseIterable, Sendable {
    case v, kind, stream, seq, tUs, recvUs, clock, file, line, end, quiet
    case fields, pts, startUs, endUs, counts, label, subject
    case phase, stroke
    case topology, space, conf, world, handedness, handednessScore, score, presence, track, doubt
    case hands, categories, margin, confidence, matcher, values, bits
    case strips, mesh
    // Of frames that failed; they are written and never read.
    case node, code, message, location, frame

    /// The key as it is written.
    package var name: String { String(String(describing: member).dropFirst(2).dropLast(2)) }

    /// What a message has before the value: a comma, the key in quotes and a colon.
    // A literal for each key, so that the writer of a known key copies bytes and looks nothing up.
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

    /// The key that these bytes spell, if any. O(1).
    static func named(_ bytes: UnsafeRawBufferPointer) -> WireKey? { table.key(bytes) }

    /// The key of this name, if any.
    static func named(_ name: String) -> WireKey? {
        var name = name
        return name.withUTF8 { named(UnsafeRawBufferPointer($0)) }
    }

    /// A name of 1 to 16 bytes as two numbers: its first eight bytes and its last eight, or four, or two.
    fileprivate struct Spelling: Equatable {
        var head: UInt64 = 0
        var tail: UInt64 = 0
        let count: Int

        @inline(__always)
        init(_ bytes: UnsafeRawBufferPointer) {
            count = bytes.count
            // Each by its front and its end, which meet or overlap: no loop over few bytes.
            switch count {
            case 8...:
                head = bytes.loadUnaligned(as: UInt64.self)
                tail = bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            case 4...:
                head = UInt64(bytes.loadUnaligned(as: UInt32.self))
                tail = UInt64(bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
            case 2...:
                head = UInt64(bytes.loadUnaligned(as: UInt16.self))
                tail = UInt64(bytes.loadUnaligned(fromByteOffset: count - 2, as: UInt16.self))
            default: head = UInt64(bytes[0])
            }
        }

        /// One of 128 places.
        var place: Int {
            // Front and end are the same number where they are the whole name, so one is moved.
            Int(truncatingIfNeeded: (((head &* 31) ^ (tail &+ UInt64(count))) &* 0x9E37_79B9_7F4A_7C15) >> 57)
        }
    }

    /// All keys by how they are written.
    static let table = Table()

    /// Open addressing over the few keys there are.
    struct Table: Sendable {
        private var slots = [(spelling: Spelling, key: WireKey)?](repeating: nil, count: 128)

        fileprivate init() {
            for key in WireKey.allCases {
                var name = key.name
                let spelling = name.withUTF8 { Spelling(UnsafeRawBufferPointer($0)) }
                var place = spelling.place
                while slots[place] != nil { place = (place + 1) & 127 }
                slots[place] = (spelling, key)
            }
        }

        /// The key that these bytes spell, if any. O(1).
        func key(_ bytes: UnsafeRawBufferPointer) -> WireKey? {
            guard !bytes.isEmpty, bytes.count <= 16 else { return nil }
            let spelling = Spelling(bytes)
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

    /// The set of these.
    package init(_ keys: WireKey...) { rawValue = keys.reduce(0) { $0 | (1 << UInt64($1.rawValue)) } }

    /// Whether a key is one of them.
    package func contains(_ key: WireKey) -> Bool { rawValue & (1 << UInt64(key.rawValue)) != 0 }

    /// Adds a key.
    package mutating func insert(_ key: WireKey) { self = WireKeys(rawValue: rawValue | (1 << UInt64(key.rawValue))) }

    /// Whether the key of a name is one of them.
    func contains(named name: String) -> Bool { WireKey.named(name).map(contains) ?? false }

    /// What every message has, whatever it carries.
    package static let envelope = WireKeys(
        .v, .kind, .stream, .seq, .tUs, .recvUs, .clock, .file, .line, .end, .quiet)
}
