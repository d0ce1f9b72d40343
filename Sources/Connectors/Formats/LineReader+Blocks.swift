import Pipeline

extension LineReader {
    /// Returns a block of whole lines: everything read so far, up to the last line feed. Returns `nil` at the end of the input, or
    /// if the waker ended a wait.
    ///
    /// - Parameter memory: The memory to read into from now on. The block takes over the previous memory.
    func cutLines(readingOnIn memory: InputMemory) throws(SystemError) -> InputBlock? {
        while true {
            if let feed = lastLineFeed { return cut(at: feed + 1, memory) }
            if isAtEnd { return begin < end || isSkipping ? cut(at: end, memory) : nil }
            searched = end
            if end - begin > maxLineBytes {
                // Discard what has been read of a line that is too long, and skip to its end.
                isSkipping = true
                begin = end
            }
            if try !fill() { return nil }
        }
    }

    /// Returns a block of consecutive MessagePack documents, like ``cutLines(readingOnIn:)``. A truncated or invalid document is
    /// the last one of its block.
    func cutDocuments(readingOnIn memory: InputMemory) throws(SystemError) -> InputBlock? {
        isAtBeginning = false
        var ends: [Int] = []
        var from = begin
        while true {
            let rest = UnsafeRawBufferPointer(start: self.memory + from, count: end - from)
            switch extent.end(in: rest) {
            case .bytes(let length):
                from += length
                ends.append(from)
                extent.begin()
                if from < end { continue }
            case .broken:
                isBroken = true
                ends.append(end)
            case .unfinished where ends.isEmpty && !isAtEnd:
                if rest.count > maxLineBytes {
                    isSkipping = true
                    begin += extent.pass(rest.count)
                }
                if try !fill() { return nil }
                from = begin
                continue
            case .unfinished where isAtEnd && (from < end || isSkipping && ends.isEmpty): ends.append(end)
            case .unfinished: break
            }
            guard let last = ends.last else { return nil }
            return cut(at: last, memory, ends: ends)
        }
    }

    private var lastLineFeed: Int? {
        var place = end
        while place > searched {
            place -= 1
            if memory.load(fromByteOffset: place, as: UInt8.self) == 0x0A { return place }
        }
        return nil
    }

    private func cut(at place: Int, _ other: InputMemory, ends: [Int] = []) -> InputBlock {
        let block = InputBlock(
            memory: room, range: begin..<place, place: bytesRead - Int64(end - place), ends: ends,
            isFirst: isAtBeginning, isSkipping: isSkipping,
            isBroken: isBroken)
        (isAtBeginning, isSkipping) = (false, false)
        (begin, searched) = (place, place)
        // The beginning of the line that follows the block usually fits into the new memory.
        move(to: other.capacity > end - begin ? other : InputMemory(2 * (end - begin)))
        return block
    }

    /// Starts to lend the lines or documents of a block that another reader has cut.
    func begin(_ block: InputBlock) {
        room = block.memory
        (begin, searched, end) = (block.range.lowerBound, block.range.lowerBound, block.range.upperBound)
        knownEnds = block.ends.reversed()
        (isAtBeginning, isSkipping, isBroken) = (block.isFirst, block.isSkipping, false)
        endsBroken = block.isBroken
        bytesRead = block.place
        lineNumber = 0
    }
}
