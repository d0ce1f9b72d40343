/// The ends of an edge to wake after a change of its queue.
struct EdgeWakes {
    var consumer = false
    var producer = false
    /// The credits that end with the change, after the lock is released.
    var ended = EndedCredits()
}
