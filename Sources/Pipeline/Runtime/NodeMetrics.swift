/// What is counted at one node. Every frame that reaches it ends in exactly one of `passed`, `absorbed`, `dropped` and
/// `failed`; `received` is counted where the frame comes in, the others where it ends.
@usableFromInline
package final class NodeMetrics: Sendable {
    /// The node's `id`.
    let id: String

    @usableFromInline let received = Counter()
    @usableFromInline let passed = Counter()
    let absorbed = Counter()
    let failed = Counter()
    @usableFromInline let emitted = Counter()
    let dropped = ReasonCounts()

    /// Frames known to have been lost on the way to a source; they stand in no equation.
    let lost = Counter()

    /// The time one frame takes, measured for one in 64 (stages) or a batch at a time (sinks).
    let time = Histogram()

    /// How old the frame written last was, in nanoseconds: at sinks of live runs.
    let age = Counter()

    /// What the component counts beside its frames.
    let counts = Counts()

    /// What its stage has told a person.
    let said = SaidMatters()

    init(id: String) { self.id = id }
}
