extension Unicode.Scalar {
    /// Whether the scalar is invisible to a reader: it ends a line, moves a terminal's cursor, changes the writing direction, or
    /// hides text. Only scalars below U+10000 are hidden, so `\u` and four hexadecimal digits can escape each of them.
    package var isHidden: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x2069, 0xFEFF: true
        default: false
        }
    }
}
