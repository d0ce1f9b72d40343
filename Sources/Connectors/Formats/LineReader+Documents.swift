import Pipeline

extension LineReader {
    /// Whether the next MessagePack document can be lent without waiting for input.
    var hasDocument: Bool { isAtEnd || extent.end(in: there) != .unfinished }

    /// The next of MessagePack documents that stand one behind the other; `nil` at the end of the input, or when the waker ended a
    /// wait. What is cut off or broken is lent as it stands.
    func nextDocument() throws(SystemError) -> Line? {
        if descriptor == nil { return nextKnownDocument() }
        isAtBeginning = false
        while true {
            var count = end - begin
            isBroken = false
            switch extent.end(in: there) {
            case .bytes(let length): count = length
            case .broken: isBroken = true
            case .unfinished:
                if isAtEnd { break }
                if count > maxLineBytes {
                    // Let go what has come of a document that is too long, and all up to its end.
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
        let document = UnsafeRawBufferPointer(rebasing: there[0..<count])
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
