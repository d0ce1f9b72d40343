import CSodium

/// The digest SHA-256, as FIPS 180-4 has it. A copy goes on by itself.
package struct SHA256 {
    private var state = crypto_hash_sha256_state()

    package init() {
        // All calls but the first do nothing.
        _ = sodium_init()
        crypto_hash_sha256_init(&state)
    }

    /// The digest of bytes, in hexadecimal digits.
    package static func hex(_ bytes: some Sequence<UInt8>) -> String {
        var digest = SHA256()
        digest.add(bytes)
        return digest.hex
    }

    /// Takes in bytes. O(bytes).
    package mutating func add(_ bytes: some Sequence<UInt8>) {
        let added: Void? = bytes.withContiguousStorageIfAvailable {
            _ = crypto_hash_sha256_update(&state, $0.baseAddress, UInt64($0.count))
        }
        if added == nil { add(Array(bytes)) }
    }

    /// The digest of all that was taken in.
    package var hex: String {
        var (state, digest) = (self.state, [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES)))
        crypto_hash_sha256_final(&state, &digest)
        return digest.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
