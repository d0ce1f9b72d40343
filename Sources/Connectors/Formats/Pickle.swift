import Pipeline

/// Returns the error for bytes that are a Python pickle. Returns `nil` if they are not a pickle. A pickle is a program that its
/// reader executes, so no pickle is read, regardless of its sender. O(1).
func pickleError(in bytes: UnsafeRawBufferPointer) -> PipelineError? {
    guard bytes.count > 2, bytes[bytes.count - 1] == UInt8(ascii: "."), beginsPickle(bytes) else { return nil }
    return pickleError
}

/// Returns whether bytes begin like a pickle: with a protocol number, or with the text form of the oldest protocol.
func beginsPickle(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count > 2 else { return false }
    if bytes[0] == 0x80 { return (2...5).contains(bytes[1]) }
    return ["(dp", "(lp", "cnumpy", "ccopy_reg", "ccollections"].contains { bytes.starts(with: $0.utf8) }
}

let pickleError = PipelineError.frame(
    "decode.pickle", "a Python pickle, which is a program and is never run",
    help:
        "send json.dumps(…) or msgpack.packb(…) of plain lists; for an array, send array.astype(\"float32\").tobytes() with format: float32"
)
