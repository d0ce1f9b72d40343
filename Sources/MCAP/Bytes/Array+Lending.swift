extension [UInt8] {
    /// Calls `body` with a pointer to part of the bytes, which is valid only during the call.
    @inline(__always)
    func lend<Result>(
        _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws(MCAPError) -> Result
    ) throws(MCAPError) -> Result {
        try self[range].lend(body)
    }

    /// Reads fields from part of the bytes.
    ///
    /// - Parameter offset: The position of the content in the file, for errors.
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
    /// Calls `body` with a pointer to the bytes, which is valid only during the call.
    @inline(__always)
    func lend<Result>(
        _ body: (UnsafeRawBufferPointer) throws(MCAPError) -> Result
    ) throws(MCAPError) -> Result {
        // `withUnsafeBytes` does not declare typed throws, so the error travels as a `Result`.
        let result = withUnsafeBytes { bytes in
            Swift.Result<Result, MCAPError> { () throws(MCAPError) in try body(bytes) }
        }
        return try result.get()
    }
}
