/// What the nodes of a segment look at for every frame.
@usableFromInline
package struct SegmentFlags {
    /// Whether the frame under way is timed, one in 64, or not to be processed.
    @usableFromInline var isTiming = false

    /// Set when some node asked for another wake-up.
    var wakesChanged = false
}
