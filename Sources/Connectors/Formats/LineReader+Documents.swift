import Pipeline

extension LineReader {
    /// Whether the next MessagePack document can be lent without waiting for input.
    var hasDocument: Bool { isAtEnd || discardDocument() && extent.end(in: unlent) != .unfinished }

    /// Returns the next of a sequence of consecutive MessagePack documents. Returns `nil` at the end of the input, or if the waker
    /// ended a wait. A truncated or invalid document is lent unchanged.
    func nextDocument() throws(SystemError) -> Line? {
        if descriptor == nil { return nextKnownDocument() }
        isAtBeginning = false
        while true {
            guard discardDocument() else {
                if isAtEnd { return nil }
                if try !fill() { return nil }
                continue
            }
            var count = end - begin
            isBroken = false
            switch extent.end(in: unlent) {
            case .bytes(let length): count = length
            case .broken: isBroken = true
            case .unfinished:
                if isAtEnd { break }
                if count > maxLineBytes {
                    isDiscarding = true
                    lineNumber += 1
                    return .tooLong
                }
                if try !fill() { return nil }
                continue
            }
            guard count > 0 else { return nil }
            extent.begin()
            return lend(count)
        }
    }

    /// Discards what has arrived of a document that was reported as too long. Returns false if the end of that document has not
    /// arrived. A byte that begins no value ends it.
    private func discardDocument() -> Bool {
        guard isDiscarding else { return true }
        switch extent.end(in: unlent) {
        case .bytes(let length): begin += length
        case .broken: begin += extent.pass(end - begin)
        case .unfinished:
            begin += extent.pass(end - begin)
            return false
        }
        extent.begin()
        isDiscarding = false
        return true
    }

    private func nextKnownDocument() -> Line? {
        guard let end = knownEnds.popLast() else { return nil }
        isBroken = endsBroken && knownEnds.isEmpty
        return lend(end - begin)
    }

    /// Lends a document.
    private func lend(_ count: Int) -> Line {
        let document = UnsafeRawBufferPointer(rebasing: unlent[0..<count])
        begin += count
        searched = begin
        lineNumber += 1
        guard !isSkipping, count <= maxLineBytes else {
            isSkipping = false
            return .tooLong
        }
        return .bytes(document)
    }
}
