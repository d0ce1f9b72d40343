import CZMQ
import Pipeline
import PipelineComponents

/// A CURVE key, public or secret: 32 bytes, written as 40 characters in Z85 (ZeroMQ RFC 32).
public struct CurveKey: OptionValue, Hashable, Sendable {
    /// The number of characters in the text of a key.
    static let characters = 40

    /// The 32 bytes of the key.
    let bytes: [UInt8]

    /// Creates a key from 32 bytes. Returns `nil` for any other number of bytes.
    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.bytes = Array(bytes)
    }

    /// Creates a key from 40 characters of Z85. Returns `nil` for any other text.
    public init?(_ text: String) {
        guard text.utf8.count == Self.characters, !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 32)
        guard zmq_z85_decode(&bytes, text) != nil else { return nil }
        self.bytes = bytes
    }

    /// The text of the key. The text of a secret key belongs in its file and nowhere else.
    package var text: String {
        var text = [CChar](repeating: 0, count: Self.characters + 1)
        guard zmq_z85_encode(&text, bytes, 32) != nil else { return "" }
        return String(decoding: text.prefix(Self.characters).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The public key of this secret key, or `nil` when libzmq was built without CURVE.
    var publicKey: CurveKey? {
        var text = [CChar](repeating: 0, count: Self.characters + 1)
        guard zmq_curve_public(&text, self.text) == 0 else { return nil }
        return CurveKey(String(decoding: text.prefix(Self.characters).map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    /// Creates a new key pair.
    ///
    /// - Throws: An environment error when libzmq was built without CURVE.
    package static func makePair() throws(PipelineError) -> (publicKey: CurveKey, secretKey: CurveKey) {
        var publicText = [CChar](repeating: 0, count: characters + 1)
        var secretText = [CChar](repeating: 0, count: characters + 1)
        guard zmq_curve_keypair(&publicText, &secretText) == 0,
            let publicKey = CurveKey(string(publicText)), let secretKey = CurveKey(string(secretText))
        else { throw .noCurve }
        return (publicKey, secretKey)
    }

    private static func string(_ text: [CChar]) -> String {
        String(decoding: text.prefix(characters).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    // MARK: In a configuration

    public static var schema: ValueSchema { .string }
    public var yaml: String? { nil }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> CurveKey? {
        guard let text = String.decode(node, context) else { return nil }
        if let key = CurveKey(text) { return key }
        context.findings.error(
            "zmq.bad_key", "this is not a CURVE key of 40 Z85 characters (it has \(text.utf8.count))", at: node.span,
            path: context.path, help: "pipectl keys makes a pair; the public key is in the file NAME.key")
        return nil
    }
}

extension PipelineError {
    /// The error for a libzmq without CURVE.
    static var noCurve: PipelineError {
        .environment(
            "zmq.no_curve", "this libzmq was built without CURVE",
            help: "install a libzmq that was built with libsodium, such as Debian's")
    }
}
