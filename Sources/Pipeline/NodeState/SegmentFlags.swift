/// The flags that the nodes of a segment check for every frame.
@usableFromInline
package struct SegmentFlags {
    /// Whether the current frame is timed (one frame in 64), or must not be processed because the segment has failed.
    @usableFromInline var isTiming = false

    /// Whether a node has changed its request for a wake-up.
    var wakesChanged = false
}
