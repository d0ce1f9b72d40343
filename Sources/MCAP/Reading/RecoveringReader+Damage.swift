// After damage, the reader skips an unreadable record or searches for the next one.
extension RecoveringReader {
    /// Continues after a record that cannot be read, and reports it as a loss.
    mutating func resume(after error: MCAPError, from start: UInt64) throws(MCAPError) {
        hasSkipped = true
        if try readChunkWithDamagedHead(at: start) { return }
        var end = trueEnd
        trueEnd = nil
        if end == nil { end = try trustedEnd(at: start) }
        if let end {
            _ = try scanner.giveUp(passing: Int(end - start))
        } else if try probe.isChunkCutOff(at: start) {
            // The cut-off chunk is the last record, and its content cannot be verified: skip the rest of the file.
            _ = try scanner.giveUp(passing: scanner.available)
            while try scanner.require(1) { _ = try scanner.giveUp(passing: scanner.available) }
        } else {
            try seek(passing: 1)
        }
        note(error, from: start, to: scanner.offset)
    }

    /// Returns the end of a record with damaged content, or `nil` if its length cannot be trusted. A length can be trusted if the
    /// record is a chunk that declares the length twice, or if another record follows.
    private func trustedEnd(at start: UInt64) throws(MCAPError) -> UInt64? {
        guard let size = input.size, let head = try probe.head(at: start) else { return nil }
        let end = start + UInt64(RecordFrame.prefix) + head.length
        if head.opcode == .chunk, try probe.declaredEnd(ofChunkAt: start) == end { return end }
        if size - end < UInt64(RecordFrame.prefix) { return try probe.isEndOfRecord(end) ? end : nil }
        return try isRecord(at: end) ? end : nil
    }

    /// Reads a chunk whose opcode or record length is wrong. The end of the chunk is computed from the length of its compressed
    /// records. Returns `false` if there is no such chunk.
    mutating func readChunkWithDamagedHead(at start: UInt64) throws(MCAPError) -> Bool {
        guard let size = input.size, let end = try probe.declaredEnd(ofChunkAt: start), end <= size,
            end - start <= limits.recordBytes
        else { return false }
        let head = try input.bytes(at: start, count: RecordFrame.prefix)
        let length = head.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
        }
        let isLengthRight = length == end - start - UInt64(RecordFrame.prefix)
        // Exactly one of opcode and record length must be right. If both are right, there is no damage here; if both are wrong, the
        // record is not a chunk.
        guard (head[0] == Opcode.chunk.rawValue) != isLengthRight, try probe.isEndOfRecord(end) else { return false }
        let bytes = try input.bytes(at: start, count: Int(end - start))
        do throws(MCAPError) {
            let opened = try ChunkReader(
                unpacking: bytes, RecordFrame.prefix..<bytes.count, at: start, unpacker, limits: limits, checks: true)
            try opened.requireWhole()
            begin(opened, start, end)
        } catch {
            return false
        }
        hasSkipped = true
        let what = isLengthRight ? "kind" : "length"
        note(
            MCAPError(.malformed, "a chunk declares a wrong \(what), but its content is intact", at: start),
            from: start,
            to: start)
        _ = try scanner.giveUp(passing: Int(end - start))
        return true
    }

    /// Searches for the next record.
    ///
    /// - Parameter count: The number of bytes to skip before the search.
    mutating func seek(passing count: Int) throws(MCAPError) {
        hasSkipped = true
        guard try scanner.giveUp(passing: count) else { return }
        while try scanner.require(RecordFrame.prefix) {
            if let size = input.size, size <= scanner.offset { break }
            guard let count = scanner.bytesToCandidate(limits) else {
                _ = try scanner.giveUp(passing: max(1, scanner.available - RecordFrame.prefix + 1))
                continue
            }
            _ = try scanner.giveUp(passing: count)
            if try isRecord(at: scanner.offset) { return }
            _ = try scanner.giveUp(passing: 1)
        }
        _ = try scanner.giveUp(passing: scanner.available)
    }

    /// Whether the bytes at a position can be read as a record that is followed by another.
    func isRecord(at offset: UInt64) throws(MCAPError) -> Bool {
        guard let size = input.size, let head = try probe.head(at: offset) else { return false }
        let end = offset + UInt64(RecordFrame.prefix) + head.length
        guard try probe.isEndOfRecord(end) else { return false }
        if head.opcode == .chunk { return try probe.declaredEnd(ofChunkAt: offset) == end }
        if let next = try probe.head(at: end) {
            guard try probe.isEndOfRecord(end + UInt64(RecordFrame.prefix) + next.length) else { return false }
        } else if probe.isWhole, size - end > UInt64(Magic.bytes.count) {
            return false
        }
        if head.opcode == .message {
            guard head.length >= UInt64(Message.fixedSize) else { return false }
            let id = try input.bytes(at: offset + UInt64(RecordFrame.prefix), count: 2)
            return channels.isEmpty || channels[UInt16(id[0]) | UInt16(id[1]) << 8] != nil
        }
        do throws(MCAPError) {
            guard let (place, bytes) = try input.record(at: offset, limits) else { return false }
            return try bytes.read(place.content, at: 0) { (fields: inout FieldReader) throws(MCAPError) in
                if place.opcode == .messageIndex { _ = try MessageIndex(reading: &fields) }
                return try Record(place.opcode, &fields, checks: true) != nil || place.opcode == .messageIndex
            }
        } catch {
            if error.code == .system { throw error }
            return false
        }
    }

    /// Whether another record can begin at the end of this one. Always `true` for a pipe, where this cannot be checked.
    func isFollowed(_ place: RecordPlace) throws(MCAPError) -> Bool {
        guard let size = input.size else { return true }
        let (memory, end) = (scanner.memory, place.content.upperBound)
        // The next record is nearly always in memory.
        if end + RecordFrame.prefix <= memory.count, Opcode(rawValue: memory[end]).isKnown {
            let length = memory.withUnsafeBytes {
                UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: end + 1, as: UInt64.self))
            }
            if length <= size - min(size, place.end + UInt64(RecordFrame.prefix)) { return true }
        }
        return try probe.isEndOfRecord(place.end)
    }
}
