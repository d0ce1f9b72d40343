import Connectors
import Pipeline
import PipelineComponents
import Stages

/// Sends requests to a served run.
package struct ServerClient: Sendable {
    let address: ServerAddress
    let token: String?

    /// Creates a client.
    ///
    /// - Parameter token: The token that the server requires, if any.
    package init(_ address: ServerAddress, token: String? = nil) { (self.address, self.token) = (address, token) }

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
        let socket = try ClientSocket(address)
        try socket.write(Array("GET \(path) HTTP/1.1\r\n\(headers)Connection: close\r\n\r\n".utf8))
        let (status, length) = try Self.head(of: socket, refused(0, "no answer"))
        let body = try length.flatMap { try socket.take(Int($0)) } ?? socket.takeAll()
        guard status == 200 else {
            let document = try? DocumentValue(body, .json)
            throw refused(
                status, document?["error"]?["message"]?.string ?? "no", help: document?["error"]?["help"]?.string)
        }
        return body
    }

    /// Reads the head of a response. Returns the status, and the length of the body in bytes; `length` is `nil` if the head does
    /// not contain it.
    ///
    /// - Parameter silence: The error to throw if no valid head arrives.
    static func head(of socket: ClientSocket, _ silence: PipelineError) throws -> (status: Int, length: UInt32?) {
        guard let head = try socket.take(until: Array("\r\n\r\n".utf8), atMost: 65_536) else { throw silence }
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count > 1, let status = Int(words[1]) else { throw silence }
        let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
        return (status, length.flatMap { UInt32($0.drop { $0 != ":" }.dropFirst().drop { $0 == " " }) })
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
