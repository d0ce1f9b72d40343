import Pipeline
import Synchronization

extension ZMQRequest {
    /// Creates the stage for the types that a configuration names.
    struct Maker {
        let options: Options

        /// Returns the stage for an input type.
        ///
        /// - Throws: A configuration error when the payload cannot be written, or when the type of the answers is unknown.
        func stage(for input: PortType) throws -> any AsyncStage {
            let requests = try writableType(of: input)
            if let kind = options.kind { return make(requests, kind.type) }
            guard let answers = input.payload as? any WirePayload.Type else {
                throw PipelineError(
                    .configuration, "zmq.kind", "the kind of the answers is unknown", help: "add kind:")
            }
            return make(requests, answers)
        }

        private func make<I: WireEncodable, O: WirePayload>(_ requests: I.Type, _ answers: O.Type) -> any AsyncStage {
            ZMQRequester<I, O>(options)
        }
    }
}

/// The asynchronous stage that implements ``ZMQRequest``.
struct ZMQRequester<Input: WireEncodable, Output: WirePayload>: AsyncStage {
    private let options: ZMQRequest.Options
    private var client: RequestClient?
    private var codec: RequestCodec<Input, Output>?

    init(_ options: ZMQRequest.Options) { self.options = options }

    var inFlight: Int { options.socket == .req ? 1 : options.inFlight }

    mutating func open(_ context: AsyncStageContext) async throws {
        guard context.clock.executor == nil else { throw PipelineError.sendsExternalRequests(context.id) }
        codec = try RequestCodec()
        client = try RequestClient(options, SocketReport(context))
    }

    func process(_ frame: Frame<Input>) async throws -> [Output] {
        guard let client, let codec else { throw PipelineError(.defect, "zmq.not_open", "asked before it was opened") }
        let answer = try await client.ask(frame.stream.name, try codec.request(frame))
        return answer.isEmpty ? [] : [try codec.payload(of: answer, for: frame)]
    }

    mutating func close() async { await client?.close() }
}

extension ZMQRequester: ExternalRequestStage {
    func answered(by answers: Recording) -> any AsyncStage { RecordedAnswers<Input, Output>(answers) }
}

/// Writes requests and reads answers. Several calls share one codec.
private final class RequestCodec<Input: WireEncodable, Output: WirePayload>: Sendable {
    private struct State: Sendable {
        let encoder = CanonicalEncoder(receipt: .none)
        var json = TextBuffer()
        var decoder: CanonicalDecoder<Output>
        let padded = PaddedCopy()
    }

    private let state: Lock<State>

    init() throws { state = Lock(State(decoder: try CanonicalDecoder(defaultStream: ""))) }

    func request(_ frame: Frame<Input>) throws -> [UInt8] {
        try state.withLock { state in
            state.json.clear()
            try state.encoder.encode(frame, sequence: frame.sequence, into: &state.json)
            return state.json.withBytes { Array($0) }
        }
    }

    func payload(of answer: [UInt8], for frame: Frame<Input>) throws -> Output {
        try state.withLock { state in
            let padded = state.padded
            return try answer.withUnsafeBytes { bytes in
                let bytes = padded(bytes)
                let answered: Frame<Output>?
                do {
                    answered = try state.decoder.decode(
                        bytes, stream: frame.stream, receivedAt: frame.timestamp.rawValue
                    ).frame
                } catch {
                    if let words = Self.refusal(in: bytes) {
                        throw PipelineError.frame("zmq.worker_error", "the worker says: \(words)")
                    }
                    // The location that matters to the user is the frame of the request, which the run adds. The location in the
                    // answer becomes part of the message.
                    var error = PipelineError(wrapping: error)
                    error.message = "the answer\(error.location.map { ", \($0)" } ?? ""): \(error.message)"
                    error.location = nil
                    throw error
                }
                guard let answered else {
                    throw PipelineError.frame("zmq.answer", "the answer ends a stream and carries nothing")
                }
                return answered.payload
            }
        }
    }

    /// Returns the value of the key `error`, or `nil` if the answer has no such key.
    private static func refusal(in bytes: UnsafeRawBufferPointer) -> String? {
        guard let reader = try? JSONReader(), (try? reader.begin(bytes)) != nil, (try? reader.enterObject()) != nil
        else { return nil }
        while let field = try? reader.nextField() {
            guard String(decoding: field.key, as: UTF8.self) == "error" else { continue }
            // The value may be a string, a number or an object. It is shortened so that it does not fill the screen.
            guard let words = (try? reader.type()) == .string ? try? reader.string() : try? reader.rawValue() else {
                return nil
            }
            if words.isEmpty { return "an error without a description" }
            return words.count <= 500 ? words : words.prefix(500) + "…"
        }
        return nil
    }
}
