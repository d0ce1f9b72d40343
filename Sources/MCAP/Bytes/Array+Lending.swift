extension [UInt8] {
    /// Lends a part of the bytes.
    @inline(__always)
    func lend<Result>(
        _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws(MCAPError) -> Result
    ) throws(MCAPError) -> Result {
        try self[range].lend(body)
    }

    /// Reads the fields that stand in a part of the bytes.
    func read<Result>(
        _ range: Range<Int>, at offset: UInt64, _ body: (inout FieldReader) throws(MCAPError) -> Result
    ) throws(MCAPError) -> Result {
        try lend(range) { (bytes) throws(MCAPError) in
            var fields = FieldReader(bytes, at: offset)
            return try body(&fields)
        }
    }
}

extension ArraySlice<UInt8> {
    /// Lends the bytes.
    @inline(__always)
    func lend<Result>(
        _ body: (UnsafeRawBufferPointer) throws(MCAPError) -> Result
    ) throws(MCAPError) -> Result {
        // What the standard library calls back may throw one type of error, which it does not say.
        let result = withUnsafeBytes { bytes in
            Swift.Result<Result, MCAPError> { () throws(MCAPError) in try body(bytes) }
        }
        return try result.get()
    }
}
