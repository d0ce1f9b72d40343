import Pipeline

/// A payload that a scene can show. Feature vectors, bitmaps and recognitions have no form in a scene.
package protocol ScenePayload: Payload {
    /// Adds the payload's visual form to a scene.
    ///
    /// - Throws: A frame error if the payload cannot be drawn.
    func show(in scene: inout Scene, of stream: StreamID) throws
}
