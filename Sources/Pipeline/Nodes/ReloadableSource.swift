/// A source's task, whatever its source, as reloads and commit points use it.
protocol ReloadableSource: RunTask {
    /// Sends frames along another route from now on. The source must be held.
    func follow(_ route: OutputRoute)

    /// Ends the source, but not its edges.
    func retire()
}
