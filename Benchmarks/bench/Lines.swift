import Connectors
import Pipeline
import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The lines of a file in memory, with the padding that the parser requires after them.
final class Lines {
    private let bytes: UnsafeMutableRawBufferPointer
    private(set) var ranges: [Range<Int>] = []

    init(path: String) throws {
        guard let file = fopen(path, "rb") else { throw PipelineError.environment("bench.file", "cannot open \(path)") }
        defer { fclose(file) }
        fseek(file, 0, SEEK_END)
        let size = ftell(file)
        rewind(file)
        bytes = .allocate(byteCount: size + JSONReader.padding, alignment: 16)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        guard fread(bytes.baseAddress, 1, size, file) == size else {
            throw PipelineError.environment("bench.file", "cannot read \(path)")
        }
        var start = 0
        for i in 0..<size where bytes[i] == 0x0A {
            if i > start { ranges.append(start..<i) }
            start = i + 1
        }
    }

    deinit { bytes.deallocate() }

    subscript(range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[range]) }
}
