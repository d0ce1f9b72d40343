import Pipeline

/// What a component declares about commits. It can be checked only together with what other components declare.
package enum CommitUse: Sendable {
    /// A source commits its input at intervals.
    case interval(owner: String, milliseconds: Int, span: SourceSpan, path: String)

    /// A sink writes in transactions, which end with the commits of sources and have a longest duration.
    ///
    /// - Parameter remedy: How to make the longest duration longer.
    case longest(owner: String, milliseconds: Int, remedy: String)
}

extension [CommitUse] {
    /// Reports sources that commit too rarely for the transactions of a sink.
    package func reportConflicts(to findings: Findings) {
        for case .interval(let source, let interval, let span, let path) in self {
            for case .longest(let sink, let longest, let remedy) in self where interval >= longest {
                findings.error(
                    "commit.interval",
                    "\"\(source)\" commits every \(interval) ms, but a transaction of \"\(sink)\" ends after \(longest) ms",
                    at: span, path: path,
                    help: "commit well before the transaction ends, for example every 1000 ms; or \(remedy)")
                break
            }
        }
    }
}
