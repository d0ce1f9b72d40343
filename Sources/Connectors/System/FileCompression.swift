/// The compression of a whole file.
package enum FileCompression: String, CaseIterable {
    case gzip, zstd

    /// Creates the compression that a file's extension names, or `nil` when it names none.
    package init?(path: String) {
        switch fileExtension(path) {
        case "gz": self = .gzip
        case "zst": self = .zstd
        default: return nil
        }
    }

    /// Returns a name without the extension that names the compression.
    static func unpacked(_ path: String) -> String {
        FileCompression(path: path) == nil ? path : String(path[..<(path.lastIndex(of: ".") ?? path.endIndex)])
    }

    /// Returns the given extensions, followed by their compressed variants.
    static func packed(_ extensions: [String]) -> [String] {
        extensions + extensions.flatMap { ["\($0).gz", "\($0).zst"] }
    }
}
