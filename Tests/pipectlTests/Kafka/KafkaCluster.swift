import Foundation

/// A cluster of brokers in a process of its own.
final class KafkaCluster: Sendable {
    /// Whether clients of Kafka can run. The thread sanitizer does not know the threads of C11, which librdkafka starts, and
    /// crashes.
    static var canRun: Bool {
        #if PTHREAD_LOCKS
            false
        #else
            true
        #endif
    }

    /// The brokers of a cluster.
    enum Kind {
        /// librdkafka's mock brokers (`Tests/KafkaCluster`).
        case mock
        /// Brokers that carry out transactions (`Tests/peers/kafka_broker`).
        case transactional
    }

    private let session: Program.Session
    /// The addresses of the brokers, as a list in YAML.
    let brokers: String

    init(_ kind: Kind = .mock, brokers count: Int = 1) throws {
        switch kind {
        case .mock:
            let path = URL(fileURLWithPath: try Program.path()).deletingLastPathComponent()
                .appendingPathComponent("kafka-cluster").path
            session = try Program.Session(path, ["\(count)"])
        case .transactional:
            session = try Program.Session(
                "/usr/bin/env", ["python3", "\(Repository.root)/Tests/peers/kafka_broker", "\(count)"])
        }
        let addresses = session.readLine().split(separator: ",")
        brokers = "[" + addresses.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    }

    deinit {
        session.closeInput()
        session.send(SIGKILL)
    }

    /// Carries out a command. Returns the answer: `ok`, or what is wrong.
    @discardableResult
    func callAsFunction(_ command: String) -> String {
        session.write(command + "\n")
        return session.readLine()
    }
}
