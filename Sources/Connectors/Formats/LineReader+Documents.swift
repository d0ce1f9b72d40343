import Pipeline

extension LineReader {
    /// Whether the next MessagePack document can be lent without waiting for input.
    var hasDocument: Bool { isAtEnd || extent.end(in: unlent) != .unfinished }

    /// Returns the next of a sequence of consecutive MessagePack documents. Returns `nil` at the end of the input, or if the waker
    /// ended a wait. A truncated or invalid document is lent unchanged.
    func nextDocument() throws(SystemError) -> Line? {
        if descriptor == nil { return nextKnownDocument() }
        isAtBeginning = false
        while true {
            var count = end - begin
            isBroken = false
            switch extent.end(in: unlent) {
            case .bytes(let length): count = length
            case .broken: isBroken = true
            case .unfinished:
                if isAtEnd { break }
                if count > maxLineBytes {
                    // Discard what has been read of a document that is too long, and skip to its end.
                    isSkipping = true
                    begin += extent.pass(count)
                }
                if try !fill() { return nil }
                continue
            }
            guard count > 0 || isSkipping else { return nil }
            extent.begin()
            return lend(count)
        }
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
