/// How the watermarks of a run travel.
enum Watermarks: Sendable {
    /// A frame implies the watermark of its own timestamp. A separate watermark is sent only for a quiet stream.
    case implied

    /// Every watermark is a separate item. It follows the last frame with its timestamp.
    case explicit
}
