extension Unicode.Scalar {
    /// Whether a reader does not see it as a character: what ends a line, moves the cursor of a terminal, turns the direction
    /// of writing or hides text. All of them are below U+10000.
    package var isHidden: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x2069, 0xFEFF: true
        default: false
        }
    }
}
