import Pipeline

/// A payload that a scene can show. Numbers and findings are no picture.
package protocol ScenePayload: Payload {
    /// Adds what it shows to a scene.
    ///
    /// - Throws: A frame error for what cannot be drawn.
    func show(in scene: inout Scene, of stream: StreamID) throws
}
