/// The digest SHA-256, as FIPS 180-4 has it.
package struct SHA256 {
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]

    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    private var block: [UInt8] = []
    private var count: UInt64 = 0

    package init() { block.reserveCapacity(64) }

    /// The digest of bytes, in hexadecimal digits.
    package static func hex(_ bytes: some Sequence<UInt8>) -> String {
        var digest = SHA256()
        digest.add(bytes)
        return digest.hex
    }

    /// Takes in bytes. O(bytes).
    package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            block.append(byte)
            count &+= 1
            if block.count == 64 { takeBlock() }
        }
    }

    /// The digest of all that was taken in.
    package var hex: String {
        var whole = self
        let bits = count &* 8
        whole.block.append(0x80)
        if whole.block.count > 56 {
            whole.block += [UInt8](repeating: 0, count: 64 - whole.block.count)
            whole.takeBlock()
        }
        whole.block += [UInt8](repeating: 0, count: 56 - whole.block.count)
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            whole.block.append(UInt8(truncatingIfNeeded: bits >> shift))
        }
        whole.takeBlock()
        return whole.state.map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    private mutating func takeBlock() {
        var words = [UInt32](repeating: 0, count: 64)
        for place in 0..<16 {
            words[place] = block[4 * place..<4 * place + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        func turned(_ word: UInt32, _ bits: UInt32) -> UInt32 { word >> bits | word << (32 - bits) }
        for place in 16..<64 {
            let (early, late) = (words[place - 15], words[place - 2])
            let first = turned(early, 7) ^ turned(early, 18) ^ early >> 3
            let second = turned(late, 17) ^ turned(late, 19) ^ late >> 10
            words[place] = words[place - 16] &+ first &+ words[place - 7] &+ second
        }
        var mixed = state
        for place in 0..<64 {
            let (a, e) = (mixed[0], mixed[4])
            let first = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
            let chosen = e & mixed[5] ^ ~e & mixed[6]
            let one = mixed[7] &+ first &+ chosen &+ Self.constants[place] &+ words[place]
            let second = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
            let other = second &+ (a & mixed[1] ^ a & mixed[2] ^ mixed[1] & mixed[2])
            mixed = [one &+ other, a, mixed[1], mixed[2], mixed[3] &+ one, e, mixed[5], mixed[6]]
        }
        for place in 0..<8 { state[place] = state[place] &+ mixed[place] }
        block.removeAll(keepingCapacity: true)
    }
}
