import CZMQ
import Pipeline
import PipelineComponents

/// A key of CURVE, public or secret: 32 bytes, written as 40 characters of Z85 (ZeroMQ RFC 32).
public struct CurveKey: OptionValue, Hashable, Sendable {
    /// How many characters a key is written with.
    static let characters = 40

    /// The key itself.
    let bytes: [UInt8]

    /// Takes 32 bytes; `nil` for any other number.
    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.bytes = Array(bytes)
    }

    /// Reads 40 characters of Z85; `nil` for anything else.
    public init?(_ text: String) {
        guard text.utf8.count == Self.characters, !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 32)
        guard zmq_z85_decode(&bytes, text) != nil else { return nil }
        self.bytes = bytes
    }

    /// The key as it is written. Of a secret key it belongs into its file and nowhere else.
    package var text: String {
        var text = [CChar](repeating: 0, count: Self.characters + 1)
        guard zmq_z85_encode(&text, bytes, 32) != nil else { return "" }
        return String(decoding: text.prefix(Self.characters).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The public key that belongs to this secret one; `nil` when libzmq was built without CURVE.
    var publicKey: CurveKey? {
        var text = [CChar](repeating: 0, count: Self.characters + 1)
        guard zmq_curve_public(&text, self.text) == 0 else { return nil }
        return CurveKey(String(decoding: text.prefix(Self.characters).map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    /// Makes a new pair.
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
            "zmq.bad_key", "that is no CURVE key: \(text.utf8.count) characters, not 40 of Z85", at: node.span,
            path: context.path, help: "pipectl keys makes a pair; the public key stands in the file it names .key")
        return nil
    }
}

extension PipelineError {
    /// libzmq cannot do CURVE.
    static var noCurve: PipelineError {
        .environment(
            "zmq.no_curve", "this libzmq was built without CURVE", help: "install one with libsodium, as Debian's is")
    }
}
