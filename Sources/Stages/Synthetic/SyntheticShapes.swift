import Pipeline
import PipelineComponents

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The shapes of synthetic strokes.
public enum SyntheticShape: String, OptionChoice {
    /// A straight line.
    case line
    /// A circle that begins at the top.
    case circle
    /// A triangle that begins at the top.
    case triangle
    /// A rectangle that begins at the top left.
    case rectangle
    /// A check mark.
    case check
    /// A roof.
    case caret
    /// A zigzag of three teeth.
    case zigzag
    /// A five-pointed star in one stroke.
    case star
    /// A spiral from the inside out.
    case spiral
    /// A wave of two periods.
    case wave
    /// The letter v.
    case vee
    /// A loop like a pigtail.
    case pigtail
    /// Capital letters, of one or more strokes.
    case letterA = "A", letterB = "B", letterC = "C", letterD = "D", letterE = "E", letterF = "F", letterH = "H",
        letterI = "I",
        letterK = "K", letterL = "L", letterO = "O", letterS = "S", letterT = "T", letterX = "X", letterZ = "Z"

    /// The shapes that are a single stroke and not a letter.
    public static let simple: [SyntheticShape] = [
        .line, .circle, .triangle, .rectangle, .check, .caret, .zigzag, .star, .spiral, .wave, .vee, .pigtail,
    ]

    /// Returns the position on a shape at `u`, from 0 to 1, in a box from −1 to 1; y grows downward. Returns (0, 0) for letters, which
    /// have ``ways`` instead.
    func place(at u: Double) -> (x: Double, y: Double) {
        let turn = 2 * Double.pi
        switch self {
        case .line: return (2 * u - 1, 0)
        case .circle: return (sin(turn * u), -cos(turn * u))
        case .spiral: return (u * sin(3 * turn * u), -u * cos(3 * turn * u))
        case .wave: return (2 * u - 1, 0.6 * sin(2 * turn * u))
        case .pigtail: return (1.6 * u - 0.8 - 0.5 * sin(turn * u), 0.5 - cos(turn * (u - 0.5)) * 0.5 - 0.5)
        case .triangle: return Self.along([(0, -1), (1, 1), (-1, 1), (0, -1)], u)
        case .rectangle: return Self.along([(-1, -0.7), (1, -0.7), (1, 0.7), (-1, 0.7), (-1, -0.7)], u)
        case .check: return Self.along([(-1, 0.2), (-0.4, 1), (1, -1)], u)
        case .caret: return Self.along([(-1, 1), (0, -1), (1, 1)], u)
        case .vee: return Self.along([(-1, -1), (0, 1), (1, -1)], u)
        case .zigzag: return Self.along([(-1, 0.6), (-0.6, -0.6), (-0.2, 0.6), (0.2, -0.6), (0.6, 0.6), (1, -0.6)], u)
        case .star:
            return Self.along(
                (0...5).map { (sin(Double($0) * 2 * turn / 5), -cos(Double($0) * 2 * turn / 5)) }, u)
        default: return (0, 0)
        }
    }
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). The same seed gives the same numbers on every platform.
struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Returns a uniformly distributed number in 0..<1, with 53 random bits.
    mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Returns a normally distributed number with mean 0 and standard deviation 1 (Box, Muller 1958).
    mutating func normal() -> Double {
        // 1 − uniform() is never 0, whose logarithm is undefined.
        (-2 * log(1 - uniform())).squareRoot() * cos(2 * Double.pi * uniform())
    }
}
