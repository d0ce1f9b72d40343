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

    private var opening: OutputOpening {
        OutputOpening(path: options.path.path, ifExists: options.ifExists, existingHelp: options.existingHelp)
    }

    mutating func open(_ context: SinkContext) async throws {
        guard let opened = try await opening.descriptor(context) else { return }
        try begin(opened, context)
    }

    mutating func openAtOnce(_ context: SinkContext) throws { try begin(opening.descriptorAtOnce(), context) }

    private mutating func begin(_ opened: Int32, _ context: SinkContext) throws {
        descriptor = opened
        do {
            packer = try options.packing.map { try CompressingWriter($0) }
            guard options.ifExists == .append else { return }
            let file = AppendedFile(path: options.path.path, descriptor: descriptor, packing: options.packing)
            guard file.size > 0 else { return }
            if options.knownFormat == .csv { try file.checkHeader(of: P.self) }
            let hasContent = try file.prepare(packer, isBinary: options.knownFormat == .msgpack, context.log)
            text = FrameText(options.knownFormat.text, hasHeader: hasContent, receipt: receipt)
        } catch {
            // Nothing may be written to a file that cannot be continued, also not when the sink is closed.
            SystemCalls.close(descriptor)
            descriptor = -1
            throw error
        }
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
        do { try flush() } catch {
            // What was written before can be ended even so.
            _ = packer?.finish(descriptor)
            throw error
        }
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
