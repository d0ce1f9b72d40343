/// A position of a source up to which every frame is accounted for, for example an offset in a log.
public protocol CommitPosition: Sendable {
    /// Makes the position permanent.
    func commit() throws

    /// Called after a sink has made the position permanent together with its output.
    func noteCommitted()
}
