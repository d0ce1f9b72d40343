/// The task of a source, independent of the type of the source.
protocol ReloadableSource: RunTask {
    /// Whether the source has no more frames. The source must be held.
    var hasEnded: Bool { get }

    /// The streams that the source currently follows.
    var followedStreams: [StreamID] { get }

    /// Sends frames along another route from now on, and routed failures to `errors`. The source must be held.
    func follow(_ route: OutputRoute, _ errors: ErrorEnd?)

    /// Ends the source, but not its edges.
    func retire()
}
