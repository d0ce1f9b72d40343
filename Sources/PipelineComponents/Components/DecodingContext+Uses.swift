import Pipeline

extension DecodingContext {
    /// Notes that the component uses an address, for whoever wants to know before it runs.
    package func noteAddress(_ address: String, at node: ConfigNode) {
        // `sources[0].zmq.bind[1]`
        let step = path.split(separator: ".").last ?? ""
        files?.add(
            AddressUse(
                owner: owner, option: String(step.prefix { $0 != "[" }), address: address, span: node.span))
    }

    /// Notes that the component writes over nothing: a run cannot begin when its output is there.
    package func noteKeepsExisting() { files?.keepExisting(owner: owner) }
}
