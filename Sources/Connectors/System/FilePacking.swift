/// How a whole file is packed.
enum FilePacking: CaseIterable {
    case gzip, zstd

    /// By the end of a name; `nil` where that says nothing.
    init?(path: String) {
        switch fileExtension(path) {
        case "gz": self = .gzip
        case "zst": self = .zstd
        default: return nil
        }
    }

    /// A name without the end that says how the file is packed.
    static func unpacked(_ path: String) -> String {
        FilePacking(path: path) == nil ? path : String(path[..<(path.lastIndex(of: ".") ?? path.endIndex)])
    }

    /// Ends of names, and the same packed.
    static func packed(_ extensions: [String]) -> [String] {
        extensions + extensions.flatMap { ["\($0).gz", "\($0).zst"] }
    }
}

/// Files that hold MCAP.
enum MCAPFile {
    /// What they begin with.
    static let beginning: [UInt8] = [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A]
}
