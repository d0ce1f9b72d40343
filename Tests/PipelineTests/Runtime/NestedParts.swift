@testable import Pipeline
@testable import PipelineComponents

/// Several numbers, each of which is processed separately.
struct Numbers: Payload, Equatable {
    static let kind: Kind = "numbers"
    var values: [Double]
}

/// Runs stages on each of several numbers. The integer part of a number is its identity. At most three identities of a stream
/// have instances of the stages; an instance that was unused for more than 100 µs is ended.
struct Every: StageComponent, NestingStage {
    struct Options: ComponentOptions {
        @Option("What runs on every number.", isRequired: true, example: "[scale]")
        var stages = StageList()
    }

    static let manifest = Manifest(
        name: "every", summary: "Works on each of several numbers", example: "")

    static let makes = Production.of(Numbers.self)

    static func accepts(_ options: Options) -> Acceptance { .one(of: [PortType(Numbers.self)]) }

    static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        let element = PortType(Number.self, attributes: input.attributes)
        let chain = context.chain(of: options.stages, taking: element, making: [PortType(Number.self)])
        return Every(chain: chain ?? NestedChain(taking: element))
    }

    let chain: NestedChain
    private var host: ChainHost?
    private var chains: ElementChains<Number, Number>?

    init(chain: NestedChain) { self.chain = chain }

    init<S: Stage>(_ stage: S) where S.Input == Number, S.Output == Number {
        chain = NestedChain(StageChain(stage))
    }

    mutating func connect(_ host: ChainHost) { self.host = host }

    mutating func process(
        _ numbers: Numbers, _ header: borrowing Header, into emitter: borrowing Emitter<Numbers>
    ) throws {
        guard let host else { throw PipelineError(.defect, "every.not_connected", "nothing was connected") }
        let chains = chains ?? ElementChains(host, chain, stream: header.stream, limit: 3)
        self.chains = chains
        var values: [Double] = []
        do {
            try chains.end(unusedSince: header.timestamp.advanced(byMicroseconds: -100)) { values.append($1.value) }
            for value in numbers.values {
                let outcome = try chains.run(Number(value: value), of: Int(value), in: header)
                if let output = outcome.output { values.append(output.value) }
            }
        } catch {
            chains.reset()
            throw error
        }
        emitter.wake(at: chains.nextWake)
        emitter.emit(Numbers(values: values))
    }

    mutating func wake(at time: Timestamp, into emitter: borrowing Emitter<Numbers>) throws {
        var values: [Double] = []
        try chains?.wake(at: time) { values.append($1.value) }
        emitter.wake(at: chains?.nextWake)
        if !values.isEmpty { emitter.emit(Numbers(values: values)) }
    }

    mutating func finish(into emitter: borrowing Emitter<Numbers>) throws {
        var values: [Double] = []
        try chains?.end(unusedSince: nil) { values.append($1.value) }
        if !values.isEmpty { emitter.emit(Numbers(values: values)) }
    }
}

/// A source of several numbers at a time, in pixels. It ends without a frame.
struct NumbersSource: Source, SourceComponent {
    typealias Options = NoOptions

    static let manifest = Manifest(name: "dice", summary: "Brings numbers", example: "")
    static func make(_ options: NoOptions, _ context: BuildContext) throws -> any Source { NumbersSource() }

    let output = PortType(Numbers.self, attributes: ["space": "pixels"])
    mutating func read(into batch: inout SourceBatch<Numbers>) async throws -> Bool { false }
}
