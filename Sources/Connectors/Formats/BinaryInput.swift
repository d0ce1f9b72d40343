import Pipeline

/// Returns the error for an input whose first bytes show that it is not text. Returns `nil` if it is text, or if there are too few
/// bytes to decide. O(1).
///
/// A damaged line of text, even one with a NUL byte, is one bad line and no reason to reject the other lines. An input therefore
/// counts as binary only if two conditions hold: less than a quarter of its first 8 KiB is on lines of text, and at least 32 of the
/// other bytes are control characters that text never contains. A hole that a crash left in a file (a run of NUL bytes) counts as
/// one such character, however long it is.
func binaryError(in head: UnsafeRawBufferPointer) -> PipelineError? {
    if head.first == 0x80, beginsPickle(head) { return pickleError }
    if head.starts(with: [0x1F, 0x8B]) { return compressed("gzip", "gz") }
    if head.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return compressed("Zstandard", "zst") }
    var (text, other, strange) = (0, 0, 0)
    for line in head.prefix(8192).split(separator: 0x0A) {
        var (count, controls, last) = (0, 0, UInt8(ascii: " "))
        for byte in line where byte != 0 || last != 0 {
            count += 1
            if isForeignToText(byte) { controls += 1 }
            last = byte
        }
        // In random data, about one byte in ten is a control character.
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

private func compressed(_ name: String, _ ending: String) -> PipelineError {
    .frame(
        "decode.binary", "data compressed with \(name), not text",
        help: "a file is unpacked if its name ends in .\(ending), as in session.jsonl.\(ending)")
}

/// Returns whether a byte never occurs in text: a control character other than white space, the escape character of terminals and
/// the old end-of-file character.
private func isForeignToText(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09...0x0D, 0x1A, 0x1B: false
    default: byte < 0x20 || byte == 0x7F
    }
}
