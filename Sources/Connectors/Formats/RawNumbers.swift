import Pipeline

/// Reads messages that consist only of little-endian floating-point numbers.
struct RawNumbers: Sendable {
    private let isDouble: Bool
    private let shape: [Int]
    /// The number of numbers in a message; `nil` if the options do not give a shape.
    private let wanted: Int?

    /// Creates a reader with the format and shape of the options.
    ///
    /// - Throws: A configuration error if no message has such a shape.
    init(_ options: DecodeOptions) throws(PipelineError) {
        isDouble = options.format == .float64
        shape = options.shape
        wanted = try options.numbersOfShape()
    }

    /// Reads a message and replaces the contents of `message`. O(bytes).
    ///
    /// - Throws: A frame error, located by byte if one number is at fault.
    func read(_ bytes: UnsafeRawBufferPointer, into message: inout FieldMessage) throws(PipelineError) {
        message.begin()
        let size = isDouble ? 8 : 4
        guard !bytes.isEmpty else { throw .frame("decode.empty", "a message without numbers") }
        guard bytes.count % size == 0 else {
            throw .frame("decode.count", "\(bytes.count) bytes cannot be divided into numbers of \(size) bytes")
        }
        let count = bytes.count / size
        if let wanted, wanted != count {
            throw .frame(
                "decode.count", "\(count) numbers, but shape requires \(wanted)",
                help: "shape lists the size of each dimension, the numbers of a point last: [21, 3]")
        }
        var numbers: [Double] = []
        numbers.reserveCapacity(count)
        for place in stride(from: 0, to: bytes.count, by: size) {
            let number =
                isDouble
                ? Double(bitPattern: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
                : Double(
                    Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
                )
            guard number.isFinite else {
                throw .frame("decode.not_finite", "expected a finite number", location: "byte \(place)")
            }
            numbers.append(number)
        }
        guard !message.isOfValues else {
            message.values = numbers
            return
        }
        // The last two dimensions are the points and their numbers. The dimensions before them are sets.
        let perSet = shape.count > 2 ? shape.suffix(2).reduce(1, *) : count
        for (key, start) in stride(from: 0, to: count, by: max(1, perSet)).enumerated() {
            message.scratch.removeAll(keepingCapacity: true)
            message.scratch.append(contentsOf: numbers[start..<(start + perSet)])
            try message.takeRaw(width: shape.count > 1 ? shape.last : nil, into: try message.list(key, .points))
        }
    }
}

extension FieldMessage {
    /// Appends the numbers in `scratch` as points.
    ///
    /// - Parameter width: The number of numbers per point; `nil` if it follows from the meaning or the count of the numbers.
    fileprivate mutating func takeRaw(width: Int?, into list: PointListReference) throws(PipelineError) {
        guard let width else { return try takeNumbers(into: list, place: nil) }
        try takeScratch(into: list, try fields(of: width, false, place: nil).layout, nil)
    }
}
