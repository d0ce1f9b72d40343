import Pipeline
import PipelineComponents

/// The color scheme of a picture.
public enum Theme: String, OptionChoice {
    /// Dark ink on a white background.
    case light
    /// Light ink on a dark background.
    case dark
}

/// The colors of a theme.
struct Palette: Sendable {
    /// The colors of the area between cells, of the background of a figure, of lines, of labels, of remarks, and of the dot at the
    /// beginning of a stroke.
    let ground, paper, ink, label, note, mark: Picture.Color
    /// The colors that distinguish the parts of a skeleton.
    let parts: [Picture.Color]

    init(_ theme: Theme) {
        switch theme {
        case .light:
            (ground, paper) = (.init(0xF1F2F4), .init(0xFFFFFF))
            (ink, label, note) = (.init(0x1B2A49), .init(0x30384A), .init(0x7C8597))
            mark = .init(0xD9480F)
            parts = [0x5C677D, 0xD9480F, 0xB7950B, 0x2B8A3E, 0x1971C2, 0x862E9C].map { .init($0) }
        case .dark:
            (ground, paper) = (.init(0x12151B), .init(0x1C212B))
            (ink, label, note) = (.init(0xE6EBF5), .init(0xD3DAE8), .init(0x8B95A9))
            mark = .init(0xFF8A4C)
            parts = [0x98A2B8, 0xFF8A4C, 0xF2C84B, 0x69DB7C, 0x74C0FC, 0xE599F7].map { .init($0) }
        }
    }
}
