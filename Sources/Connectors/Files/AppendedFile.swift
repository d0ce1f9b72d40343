import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An existing file to which a sink appends frames. A run that was killed may have left its end unfinished; what would
/// make the appended frames unreadable is ended or cut off first.
struct AppendedFile {
    let path: String
    /// The file, opened for appending. It cannot be read: if it could, a named pipe without a reader would seem to have
    /// one.
    let descriptor: Int32
    let packing: FileCompression?

    /// The size of the file in bytes. Negative for a pipe.
    var size: Int64 { Int64(lseek(descriptor, 0, SEEK_END)) }

    /// Throws an environment error (`file.append`) if a table has another header than the one that is written for a
    /// payload.
    func checkHeader<P: WireEncodable>(of payload: P.Type) throws {
        let lines = LineReader(descriptor: try SystemCalls.openToRead(path), packing: packing)
        // In compressed data that ends before the first line does, there is no header.
        guard case .bytes(let line)? = try? lines.next() else { return }
        var header = TextBuffer(capacity: 256)
        FrameText<P>.writeHeader(into: &header)
        let wanted = header.text.dropLast()
        guard !line.elementsEqual(wanted.utf8) else { return }
        let found = String(decoding: line.prefix(200), as: UTF8.self)
        throw PipelineError.environment(
            "file.append",
            "the columns of \(path) are \(quote(found.shown)), those of kind \(P.kind) are \(quote(String(wanted)))",
            help: "append to a table of the same kind, write another file, or set if_exists to overwrite")
    }

    /// Makes the end of the file such that a reader can read what is appended.
    ///
    /// - Parameters:
    ///   - packer: The compressor of what is appended; `nil` for none.
    ///   - isBinary: Whether the file holds MessagePack documents, not lines.
    /// - Returns: Whether the file has content.
    /// - Throws: An environment error if the file cannot be read or written, or if nothing behind its end could be read
    ///   (`file.damaged`).
    func prepare(_ packer: CompressingWriter?, isBinary: Bool, _ log: Log) throws -> Bool {
        if let packing, let packer { return try prepare(packing, packer, isBinary: isBinary, log) }
        if isBinary {
            try cutMessage(log)
        } else if try lastByte() != 0x0A {
            // If the last line was cut off, end it first, so that the first new line does not continue it.
            try write([0x0A])
        }
        return size > 0
    }

    private func prepare(
        _ packing: FileCompression, _ packer: CompressingWriter, isBinary: Bool, _ log: Log
    ) throws -> Bool {
        let size = size
        let reader = try SystemCalls.openToRead(path)
        defer { SystemCalls.close(reader) }
        let end: CompressedEnd
        do throws(SystemError) { end = try CompressedEnd(of: reader, packing, isBinary: isBinary) } catch {
            throw refusal(error)
        }
        // The file may have grown while it was read.
        try checkSize(size)
        let isUnfinished = end.length < size || !end.ending.isEmpty
        // The records are read from the part that is cut off, so it is put back if they cannot be written again.
        let tail = end.records.isEmpty ? [] : try bytes(end.length..<size, of: reader)
        if isUnfinished { try cut(to: end.length, from: size) }
        do {
            if isUnfinished { try write(end.ending) }
            let first = end.endsInsideLine ? [0x0A] : end.records
            if !first.isEmpty, let error = first.withUnsafeBytes({ packer.write($0, to: descriptor) }).error {
                throw error.writing(path)
            }
        } catch {
            if !tail.isEmpty, ftruncate(descriptor, off_t(end.length)) == 0 { try write(tail) }
            throw error
        }
        if isUnfinished {
            log(.warning, "\(path) was left unfinished: its compressed data is ended now" + lost(end.lostCount))
        }
        return end.hasContent
    }

    private func bytes(_ range: Range<Int64>, of reader: Int32) throws -> [UInt8] {
        let size = Int(range.upperBound - range.lowerBound)
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size, let base = buffer.baseAddress {
                let read = pread(reader, base + count, size - count, off_t(range.lowerBound) + off_t(count))
                guard read > 0 else { return }
                count += read
            }
        }
        guard bytes.count == size else { throw SystemError(number: EIO).reading(path) }
        return bytes
    }

    /// Cuts off a MessagePack document that is not whole.
    private func cutMessage(_ log: Log) throws {
        let size = size
        var records = RecordEnd(isBinary: true)
        let reader = try SystemCalls.openToRead(path)
        defer { SystemCalls.close(reader) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count: Int = try buffer.withUnsafeMutableBytes { buffer in
                guard let base = buffer.baseAddress else { return 0 }
                switch SystemCalls.read(reader, into: base, count: buffer.count) {
                case .success(let count):
                    records.take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    return count
                case .failure(let error): throw error.reading(path)
                }
            }
            if count == 0 { break }
        }
        guard !records.isBroken else { throw refusal(SystemError(number: EBADMSG)) }
        guard !records.isAtEnd else { return }
        try cut(to: records.end, from: size)
        log(.warning, "\(path) was left unfinished" + lost(records.count - records.end))
    }

    private func lost(_ count: Int64) -> String {
        count == 0 ? "" : "; the beginning of a frame (\(count) bytes) was cut off its end"
    }

    /// Throws an environment error if the size of the file is no longer the one that was examined.
    private func checkSize(_ size: Int64) throws {
        guard self.size == size else {
            throw PipelineError.environment(
                "file.unwritable", "\(path) cannot be written: another program is writing it")
        }
    }

    /// Shortens the file, unless its size is no longer the one that was examined.
    private func cut(to length: Int64, from size: Int64) throws {
        try checkSize(size)
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw SystemError(number: errno).writing(path) }
        // The end of the file is where a failed write is taken back.
        _ = lseek(descriptor, 0, SEEK_END)
    }

    private func write(_ bytes: [UInt8]) throws {
        if case .failure(let error) = bytes.withUnsafeBytes({ SystemCalls.write(descriptor, $0) }) {
            throw error.writing(path)
        }
    }

    /// Returns the last byte of the file.
    private func lastByte() throws -> UInt8? {
        let reader = try SystemCalls.openToRead(path)
        defer { SystemCalls.close(reader) }
        var last: UInt8 = 0
        return pread(reader, &last, 1, off_t(size - 1)) == 1 ? last : nil
    }

    private func refusal(_ error: SystemError) -> PipelineError {
        switch error.number {
        case EBADMSG:
            .environment(
                "file.damaged", "\(path) is damaged: what is appended to it could not be read",
                help: "write another file, or set if_exists to overwrite")
        case EFBIG:
            .environment(
                "file.damaged", "\(path) was left unfinished by another program, and is too large to be completed",
                help: "write another file, or decompress what can be read of this one and compress it again")
        default: error.reading(path)
        }
    }
}
