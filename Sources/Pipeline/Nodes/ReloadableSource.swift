/// The task of a source, independent of the type of the source.
protocol ReloadableSource: RunTask {
    /// Sends frames along another route from now on. The source must be held.
    func follow(_ route: OutputRoute)

    /// Ends the source, but not its edges.
    func retire()
}
