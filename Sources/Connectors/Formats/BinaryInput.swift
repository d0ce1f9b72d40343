import Pipeline

/// What is wrong with an input, told by its first bytes, if it is no text; `nil` when it is text, or too little to tell. O(1).
///
/// A line of text that was damaged, be it by a NUL byte, is one bad line and no reason to give up the others. So an input is
/// binary only when hardly anything in its first 8 KiB stands on lines of text, and there are too many bytes that no text has
/// for this to be chance. A hole that a crash has left in a file, however long, counts as one such byte.
func binaryError(in head: UnsafeRawBufferPointer) -> PipelineError? {
    if head.first == 0x80, beginsPickle(head) { return pickleError }
    var (text, other, strange) = (0, 0, 0)
    for line in head.prefix(8192).split(separator: 0x0A) {
        var (count, controls, last) = (0, 0, UInt8(ascii: " "))
        for byte in line where byte != 0 || last != 0 {
            count += 1
            if isForeignToText(byte) { controls += 1 }
            last = byte
        }
        // One byte in ten of random ones is a control character.
        if controls * 32 <= count {
            text += count
        } else {
            other += count
            strange += controls
        }
    }
    guard strange >= 32, text * 3 < other else { return nil }
    if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) {
        return .frame("decode.binary", "text in UTF-16", help: "write it as UTF-8")
    }
    return .frame("decode.binary", "a binary file, not text")
}

/// Whether no text has a byte: the control characters but white space, the escapes of terminals and the old end of a file.
private func isForeignToText(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09...0x0D, 0x1A, 0x1B: false
    default: byte < 0x20 || byte == 0x7F
    }
}
