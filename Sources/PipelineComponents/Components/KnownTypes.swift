import Pipeline

/// The types that options can name: payloads, and values that are read from a file.
package struct KnownTypes: Sendable {
    /// The payload types, in the order of registration.
    private(set) var payloads: [any Payload.Type] = []
    private var readers: [ObjectIdentifier: any Sendable] = [:]

    /// Adds a payload type, or replaces the type of the same name.
    mutating func add(_ payload: any Payload.Type) {
        if let place = payloads.firstIndex(where: { $0.kind == payload.kind }) {
            payloads[place] = payload
        } else {
            payloads.append(payload)
        }
    }

    /// Adds a reader of files with values of a type, or replaces the reader for the same type.
    mutating func add<Value>(reader: @escaping @Sendable (_ path: String) throws -> Value) {
        readers[ObjectIdentifier(Value.self)] = reader
    }

    /// Returns the reader of files with values of a type, if there is one.
    func reader<Value>(of type: Value.Type) -> (@Sendable (_ path: String) throws -> Value)? {
        readers[ObjectIdentifier(Value.self)] as? @Sendable (_ path: String) throws -> Value
    }
}
