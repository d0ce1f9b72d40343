import CSodium

/// A SHA-256 digest, as specified in FIPS 180-4. A copy continues independently of the original.
package struct SHA256 {
    private var state = crypto_hash_sha256_state()

    package init() {
        // Only the first call initializes the library. Later calls have no effect.
        _ = sodium_init()
        crypto_hash_sha256_init(&state)
    }

    /// Returns the digest of the given bytes in hexadecimal digits.
    package static func hex(_ bytes: some Sequence<UInt8>) -> String {
        var digest = SHA256()
        digest.add(bytes)
        return digest.hex
    }

    /// Adds bytes to the digest.
    ///
    /// - Complexity: O(*n*), where *n* is the number of bytes.
    package mutating func add(_ bytes: some Sequence<UInt8>) {
        let added: Void? = bytes.withContiguousStorageIfAvailable {
            _ = crypto_hash_sha256_update(&state, $0.baseAddress, UInt64($0.count))
        }
        if added == nil { add(Array(bytes)) }
    }

    /// The digest of all bytes added so far, in hexadecimal digits.
    package var hex: String {
        var (state, digest) = (self.state, [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES)))
        crypto_hash_sha256_final(&state, &digest)
        return digest.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
