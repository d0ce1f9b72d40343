import Pipeline

/// What is wrong with bytes that are a Python pickle; `nil` when they are none. A pickle is a program that its reader runs: none is
/// read, whoever sends it. O(1).
func pickleError(in bytes: UnsafeRawBufferPointer) -> PipelineError? {
    guard bytes.count > 2, bytes[bytes.count - 1] == UInt8(ascii: "."), beginsPickle(bytes) else { return nil }
    return pickleError
}

/// Whether bytes begin as a pickle does: with the number of its protocol, or in the text of the oldest one.
func beginsPickle(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count > 2 else { return false }
    if bytes[0] == 0x80 { return (2...5).contains(bytes[1]) }
    return ["(dp", "(lp", "cnumpy", "ccopy_reg", "ccollections"].contains { bytes.starts(with: $0.utf8) }
}

let pickleError = PipelineError.frame(
    "decode.pickle", "a Python pickle, which is a program and is never run",
    help:
        "send json.dumps(…) or msgpack.packb(…) of plain lists; of an array, array.astype(\"float32\").tobytes() with format: float32"
)
