/// The task of a source, with what a reload needs of it, whatever the type of the source.
protocol HeldSource: RunTask {
    /// Sends frames along another route from now on. The source must be held.
    func follow(_ route: OutputRoute)

    /// Ends the source, but not its edges.
    func retire()
}
