/// What is known at the end of a stream about a later stream of the same name.
public enum StreamEnd: Sendable {
    /// The stream is over. A later stream of the same name is another one.
    case over

    /// The stream goes on, as a new epoch in which times and numbers begin again, or it may go on: it was evicted because it was
    /// idle, or because there were too many streams.
    case restarts

    /// Creates the end of a stream that was made from several streams. It goes on if one of them does.
    init(of ends: some Sequence<StreamEnd>) { self = ends.contains(.restarts) ? .restarts : .over }
}
