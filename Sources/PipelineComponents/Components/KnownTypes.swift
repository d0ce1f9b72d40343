import Pipeline

/// The types that options can name: payloads, and values that are read from a file.
package struct KnownTypes: Sendable {
    /// The payload types, in the order registered.
    private(set) var payloads: [any Payload.Type] = []
    private var readers: [ObjectIdentifier: any Sendable] = [:]

    /// Adds a payload type. One of the same name is replaced.
    mutating func add(_ payload: any Payload.Type) {
        if let place = payloads.firstIndex(where: { $0.kind == payload.kind }) {
            payloads[place] = payload
        } else {
            payloads.append(payload)
        }
    }

    /// Adds what reads a file as a value. One for the same type is replaced.
    mutating func add<Value>(reader: @escaping @Sendable (_ path: String) throws -> Value) {
        readers[ObjectIdentifier(Value.self)] = reader
    }

    /// What reads files as values of a type, if that is known.
    func reader<Value>(of type: Value.Type) -> (@Sendable (_ path: String) throws -> Value)? {
        readers[ObjectIdentifier(Value.self)] as? @Sendable (_ path: String) throws -> Value
    }
}
