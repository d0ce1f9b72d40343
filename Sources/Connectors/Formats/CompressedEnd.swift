#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where a compressed file of records can be continued. The last part of the file may be unfinished, because the program
/// that wrote it was killed.
struct CompressedEnd {
    /// The number of bytes at the beginning of the file that stay as they are.
    private(set) var length: Int64 = 0
    /// The bytes that end the unfinished part after them; empty if there is none.
    private(set) var ending: [UInt8] = []
    /// The whole records in the rest of the file. They must be written again.
    private(set) var records: [UInt8] = []
    /// The number of decompressed bytes that are lost: a record at the end that is not whole.
    private(set) var lostCount: Int64 = 0
    /// Whether there are decompressed bytes that stay, or are written again.
    private(set) var hasContent = false
    /// Whether the last line before `records` has no line feed.
    private(set) var endsInsideLine = false

    /// Decompresses a file once to find its end. O(bytes).
    ///
    /// - Parameters:
    ///   - descriptor: The file, opened for reading at its beginning.
    ///   - isBinary: Whether the records are MessagePack documents, not lines.
    /// - Throws: `EBADMSG` for a file that is damaged, so that nothing behind the damage can be read, `EFBIG` for an
    ///   unfinished part that another program has written and that is too large to be written again.
    init(of descriptor: Int32, _ packing: FileCompression, isBinary: Bool) throws(SystemError) {
        let scan = CompressedScan(descriptor, packing, isBinary: isBinary)
        switch packing {
        case .gzip: try scan.scanMembers()
        case .zstd: try scan.scanFrames()
        }
        let end = scan.records.end
        let begin = scan.marked.count
        guard !scan.records.isBroken else { throw SystemError(number: EBADMSG) }
        (length, ending) = (scan.marked.length, scan.marked.ending)
        if end > begin {
            guard !scan.isRestTooLarge else { throw SystemError(number: EFBIG) }
            records = Array(scan.rest.prefix(Int(end - begin)))
        } else if scan.marked.recordEnd < begin {
            // Whole parts end inside a record. A line can be ended, but nothing can be read behind half of a document.
            guard !isBinary else { throw SystemError(number: EBADMSG) }
            endsInsideLine = true
        }
        lostCount = scan.records.count - max(begin, end)
        hasContent = begin > 0 || !records.isEmpty
    }
}
