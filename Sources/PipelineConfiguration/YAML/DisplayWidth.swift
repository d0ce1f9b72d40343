/// Returns the number of terminal cells for a scalar: 2 for East Asian wide characters and emoji, 0 for combining marks, 1
/// otherwise.
///
/// A tab counts as four, because the renderer shows it as four spaces. The wide ranges are those with the Unicode 16 property
/// East_Asian_Width W or F. Ranges with only unassigned code points between them are merged.
func displayWidth(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0x09: return 4
    case 0x20..<0x300: return 1
    case 0x200B...0x200F, 0xFE00...0xFE0F: return 0
    case 0x1100...0x115F, 0x231A...0x231B, 0x23E9...0x23EC, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF,
        0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6B,
        0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
        0x1F900...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD:
        return 2
    default:
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: return 1
        }
    }
}
