import Pipeline
import PipelineComponents
import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The implementation of ``FileSink`` for formats other than MCAP, for one payload type.
struct FileWriter<P: WireEncodable>: FileWriting {
    typealias Input = P

    private let options: FileSink.Options
    private let receipt: CanonicalEncoder.Receipt
    private var descriptor: Int32 = -1
    private var text: FrameText<P>
    private var packer: CompressingWriter?

    init(_ options: FileSink.Options, receipt: CanonicalEncoder.Receipt = .asRead) {
        self.options = options
        self.receipt = receipt
        text = FrameText(options.knownFormat.text, receipt: receipt)
    }

    private var opening: OutputOpening { OutputOpening(path: options.path.path, ifExists: options.ifExists) }

    mutating func open(_ context: SinkContext) async throws {
        guard let opened = try await opening.descriptor(context) else { return }
        try begin(opened)
    }

    mutating func openAtOnce(_ context: SinkContext) throws { try begin(opening.descriptorAtOnce()) }

    private mutating func begin(_ opened: Int32) throws {
        descriptor = opened
        packer = try options.packing.map { try CompressingWriter($0) }
        guard options.ifExists == .append else { return }
        let size = lseek(descriptor, 0, SEEK_END)
        guard size > 0 else { return }
        text = FrameText(options.knownFormat.text, hasHeader: true, receipt: receipt)
        // MessagePack and compressed data can be appended as they are: concatenated pieces are read as one file.
        if options.knownFormat == .msgpack || packer != nil { return }
        // If the last line was cut off, end it first, so that the first new line does not continue it.
        guard try lastByte(of: options.path.path, size) != 0x0A else { return }
        let feed: [UInt8] = [0x0A]
        do { try feed.withUnsafeBytes { try SystemCalls.write(descriptor, $0).get() } } catch let error as SystemError {
            throw error.writing(options.path.path)
        }
    }

    /// Returns the last byte of a file of `size` bytes. Opens the file a second time, because the sink's descriptor can only
    /// write. If that descriptor could also read, a named pipe without a reader would seem to have one.
    private func lastByte(of path: String, _ size: off_t) throws -> UInt8? {
        let reader = try SystemCalls.openToRead(path)
        defer { SystemCalls.close(reader) }
        var last: UInt8 = 0
        return pread(reader, &last, 1, size - 1) == 1 ? last : nil
    }

    var unwritten: Int { text.count }

    mutating func write(_ frame: Frame<P>) throws {
        guard descriptor >= 0 else { throw Refusal("no_peer") }
        if text.isFull { try flush() }
        try text.add(frame)
    }

    mutating func flush() throws {
        do throws(SystemError) {
            guard let packer else { return try text.empty(into: descriptor) }
            try text.empty(
                writing: { bytes in packer.write(bytes, to: descriptor) }, takingBack: { _ in false })
        } catch {
            throw error.writing(options.path.path)
        }
    }

    mutating func discard() { text.discard() }

    mutating func close() async throws { try closeAtOnce() }

    mutating func closeAtOnce() throws {
        guard descriptor >= 0 else { return }
        defer {
            SystemCalls.close(descriptor)
            descriptor = -1
        }
        try flush()
        if let error = packer?.finish(descriptor) { throw error.writing(options.path.path) }
    }
}

extension FileSink.Options {
    /// The compression of a file that is not a recording; `nil` for none.
    fileprivate var packing: FileCompression? {
        switch compression {
        case .auto: FileCompression(path: path.path)
        case .gzip: .gzip
        case .zstd: .zstd
        case .none, .lz4: nil
        }
    }
}
