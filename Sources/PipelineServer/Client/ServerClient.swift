import Connectors
import Pipeline
import PipelineComponents
import Stages

/// Sends requests to a served run.
package struct ServerClient: Sendable {
    let address: ServerAddress
    let token: String?
    /// The maximum time to wait for the next bytes of a response, in seconds.
    private let seconds: Int

    /// The maximum length of a response or a message, in bytes.
    static let mostBytes = 64 << 20

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - token: The token that the server requires, if any.
    ///   - seconds: The maximum time to wait for the next bytes of a response.
    package init(_ address: ServerAddress, token: String? = nil, seconds: Int = 10) {
        (self.address, self.token, self.seconds) = (address, token, seconds)
    }

    /// The headers of every request.
    var headers: String {
        "Host: \(address.name)\r\n" + (token.map { "Authorization: Bearer \($0)\r\n" } ?? "")
    }

    /// Returns the JSON document at a path.
    ///
    /// - Throws: An environment error if there is no response or the server refuses the request.
    package func document(_ path: String) throws -> DocumentValue { try document(in: get(path)) }

    /// Returns the JSON document in the body of a response.
    ///
    /// - Throws: An environment error if the body is not JSON.
    package func document(in body: [UInt8]) throws -> DocumentValue {
        guard let document = try? DocumentValue(body, .json) else { throw refused(200, "the answer is not JSON") }
        return document
    }

    /// Returns the body of the response at a path. Throws the same errors as ``document(_:)``.
    package func get(_ path: String) throws -> [UInt8] {
        let socket = try ClientSocket(address, seconds: seconds)
        try socket.write(Array("GET \(path) HTTP/1.1\r\n\(headers)Connection: close\r\n\r\n".utf8))
        let (status, length) = try head(of: socket)
        guard let body = try length.map({ try socket.take($0) }) ?? socket.takeAll(atMost: Self.mostBytes) else {
            throw refused(status, "the answer is too long, or does not end in time")
        }
        guard status == 200 else {
            let document = try? DocumentValue(body, .json)
            throw refused(
                status, document?["error"]?["message"]?.string ?? "the request is refused",
                help: document?["error"]?["help"]?.string)
        }
        return body
    }

    /// Reads the head of a response. Returns the status, and the length of the body in bytes; `length` is `nil` if the head does
    /// not contain it.
    ///
    /// - Throws: An environment error if no valid head arrives, or if the body is too long.
    func head(of socket: ClientSocket) throws -> (status: Int, length: Int?) {
        let silence = PipelineError.environment("server.refused", "\(address.name) gives no valid answer")
        guard let head = try socket.take(until: Array("\r\n\r\n".utf8), atMost: 65_536) else { throw silence }
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count > 1, let status = Int(words[1]) else { throw silence }
        guard let line = lines.first(where: { $0.lowercased().hasPrefix("content-length:") }) else {
            return (status, nil)
        }
        let value = line.drop { $0 != ":" }.dropFirst().filter { $0 != " " && $0 != "\t" }
        guard let length = Int(value), (0...Self.mostBytes).contains(length) else {
            throw refused(status, "an answer of \(value) bytes, and at most \(Self.mostBytes) are read")
        }
        return (status, length)
    }

    /// Returns the error for a response that is not the expected one.
    ///
    /// - Parameter status: The HTTP status; 0 if there was none.
    func refused(_ status: Int, _ words: String, help: String? = nil) -> PipelineError {
        .environment(
            "server.refused", "\(address.name) answers\(status == 0 ? "" : " \(status)"): \(words.cut.shown)",
            help: help)
    }
}
