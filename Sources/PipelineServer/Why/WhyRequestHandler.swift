import Pipeline
import PipelineComponents
import Synchronization

/// Responds to requests for the explanation of a result. At most four are processed at a time, outside the server's thread.
// Used only in the server's thread.
final class WhyRequestHandler {
    private let asking = Asking()

    /// Returns a response that refuses a request; `nil` if the response will be posted later.
    ///
    /// - Parameter question: Returns a question about a kept result that matches a predicate; `nil` if no result matches.
    func answer(
        _ request: WebRequest, _ id: WebRequestID, _ plan: Plan, _ web: WebServer,
        _ question: ((KeptResult) -> Bool) -> WhyQuestion?
    ) -> WebResponse? {
        let (number, sequence) = (request.value("id").flatMap { Int($0) }, request.value("seq").flatMap { Int64($0) })
        let (node, stream) = (request.value("node"), request.value("stream"))
        guard number != nil || sequence != nil && stream != nil else {
            return .refusal(400, "server.query", "give the result's number as id, or its stream and seq")
        }
        let question = question { result in
            if let number { return result.id == number }
            return result.sequence == sequence && result.stream.name == stream
                && node.map { plan.nodes[result.node].id == $0 } ?? true
        }
        guard let question else {
            return .json(
                WhyAnswer.impossible(
                    nil, plan, "this frame is not kept, is not a result, or is from before the last reload"))
        }
        if let problem = question.problem {
            return .json(WhyAnswer.impossible(question.result, plan, problem))
        }
        guard asking.begin() else {
            return .refusal(
                503, "server.busy", "too many explanations are being computed", help: "ask again in a moment")
        }
        Task { [web, asking] in
            web.answer(id, with: .json(await question.answer()))
            asking.end()
        }
        return nil
    }
}

/// The number of questions that are being processed.
private final class Asking: Sendable {
    private let count = Lock(0)
    private static var most: Int { 4 }

    func begin() -> Bool {
        count.withLock { count in
            guard count < Self.most else { return false }
            count += 1
            return true
        }
    }

    func end() { count.withLock { $0 -= 1 } }
}
