import Pipeline

extension DecodingContext {
    /// Records that the component uses an address, so that all addresses of a configuration are known before a run.
    package func noteAddress(_ address: String, at node: ConfigNode) {
        // Example of a path: `sources[0].zmq.bind[1]`
        let step = path.split(separator: ".").last ?? ""
        files?.add(
            AddressUse(
                owner: owner, option: String(step.prefix { $0 != "[" }), address: address, span: node.span))
    }

    /// Records that the component never overwrites a file, so that a run cannot start if the component's output exists.
    package func noteKeepsExisting() { files?.keepExisting(owner: owner) }

    /// Records how often a source commits its input.
    ///
    /// - Parameter option: The name of the option that sets the interval.
    package func noteCommitInterval(_ milliseconds: Int, option: String, in node: ConfigNode) {
        files?.add(
            CommitUse.interval(
                owner: owner, milliseconds: milliseconds, span: (node[option] ?? node).span,
                path: descending(option).path))
    }

    /// Records how long the transactions of a sink may last.
    ///
    /// - Parameter remedy: How to make this time longer.
    package func noteLongestTransaction(_ milliseconds: Int, remedy: String) {
        files?.add(CommitUse.longest(owner: owner, milliseconds: milliseconds, remedy: remedy))
    }
}
