import Foundation
import PipelineTesting

/// A topic of points, three workers of one group that recognize gestures in them, and a topic of results. Workers are killed at
/// random moments.
final class KafkaGroup {
    /// How often a result may be in the topic.
    enum Delivery: String {
        case atLeastOnce = "at_least_once"
        case exactlyOnce = "exactly_once"
    }

    /// What goes wrong.
    struct Faults {
        var kills = 5
        /// Whether partitions move between brokers, and brokers answer late or with errors.
        var troublesBrokers = true
        /// The seed of the random moments and faults.
        var seed: UInt64 = 1
    }

    private let folder: TemporaryFolder
    let cluster: KafkaCluster
    private let delivery: Delivery
    private let protocolName: String
    private let isCrowded: Bool
    private let hasCopies: Bool
    private let (streams, gestures): (Int, Int)
    /// The number of times that the results were read, each time by a group of its own.
    private var readers = 0

    /// Creates the topics.
    ///
    /// - Parameters:
    ///   - isCrowded: Whether all streams share one partition, whose committed metadata has room for the held frames of only a few.
    ///   - hasCopies: Whether workers also copy each point to a second topic, without waiting for the rest of its gesture.
    init(
        _ delivery: Delivery, streams: Int, gestures: Int, cooperative: Bool = true, isCrowded: Bool = false,
        hasCopies: Bool = false
    ) throws {
        folder = try TemporaryFolder()
        cluster = try KafkaCluster(delivery == .exactlyOnce ? .transactional : .mock, brokers: 3)
        (self.delivery, self.streams, self.gestures) = (delivery, streams, gestures)
        (self.isCrowded, self.hasCopies) = (isCrowded, hasCopies)
        protocolName = cooperative ? "cooperative-sticky" : "range"
        // Mock brokers keep only 5 MB of each partition, so more streams need more partitions.
        _ = cluster("topic points \(isCrowded ? 1 : max(6, streams / 40))")
        _ = cluster("topic results \(max(3, streams / 40))")
        _ = cluster("topic copies \(max(3, streams / 40))")
    }

    // MARK: Input

    /// The points of all gestures: one stroke each, the streams interleaved.
    private func points() -> String {
        var text = ""
        for gesture in 0..<gestures {
            for place in 0..<4 {
                for stream in 0..<streams where !isUnfinished(stream, gesture, place) {
                    let time = 1_000_000 * Int64(gesture + 1) + 20_000 * Int64(place) + Int64(stream)
                    let phase = ["begin", "move", "move", "end"][place]
                    let numbers = (0..<3).map { point -> String in
                        let turn = Double((place * 3 + point) * (stream % 5 + 1)) * 0.31 + Double(gesture % 7)
                        return
                            "\((cos(turn) * 100).rounded()),\((sin(turn) * Double(30 + 10 * (stream % 4))).rounded())"
                    }
                    text += """
                        {"v":1,"kind":"points","stream":"pen/\(stream)","seq":\(4 * gesture + place),"t_us":\(time),\
                        "phase":"\(phase)","stroke":\(gesture),"fields":"xy","pts":[\(numbers.joined(separator: ","))]}

                        """
                }
            }
        }
        return text
    }

    /// Whether a point is missing because its stream ends in the middle of a stroke. In a crowded group, all streams end like this,
    /// in different gestures, so that much metadata about held frames has to be committed.
    private func isUnfinished(_ stream: Int, _ gesture: Int, _ place: Int) -> Bool {
        isCrowded && (gesture, place) > (stream * 7 % 13, 1)
    }

    private static let stages = """
        stages:
          - segment: { multi_stroke_timeout_ms: 100, min_points: 4 }
          - match: { library: \(Repository.root)/Samples/shapes.json }
        """

    /// Returns the results of one process that reads a file instead of a topic, and the copies of the points if there are any.
    func expected() async throws -> [String] {
        let input = try folder.write("points.jsonl", points())
        let file = try folder.write(
            "alone.yaml",
            """
            version: 1
            sources: [file: { id: pens, path: \(input), kind: points }]
            \(Self.stages)
            sinks:
              - stdout: { format: jsonl }
            \(hasCopies ? "  - file: { from: pens, path: copies.jsonl }" : "")
            """)
        let results = try await Program.run("run", file, folder: folder.path).results
        return Self.lines(results + (hasCopies ? try folder.read("copies.jsonl") : ""))
    }

    /// Starts to send the points to their topic. This takes about as long as the faults.
    private func startSending(_ faults: Faults) throws -> Program.Session {
        let rate = max(0.5, Double(gestures) / (1.4 * Double(faults.kills) + 1))
        let file = try folder.write(
            "send.yaml",
            """
            version: 1
            sources: [file: { path: points.jsonl, kind: points, rate: \(rate) }]
            sinks: [kafka: { brokers: \(cluster.brokers), topic: points, linger_ms: 20000, \(client) }]
            """)
        return try start(file, "send")
    }

    /// The client options of sinks for this cluster.
    ///
    /// Mock brokers do not check the sequence numbers of an idempotent producer. They may refuse messages and store later ones
    /// that were already in flight, which Kafka itself would not store. The producer would then count the refused messages as
    /// stored. So only one request is in flight at a time.
    private var client: String {
        delivery == .exactlyOnce ? "client: {}" : "client: { max.in.flight.requests.per.connection: 1 }"
    }

    // MARK: Workers

    private func worker(_ number: Int, until: String = "stopped") throws -> String {
        try folder.write(
            "worker-\(number)-\(until).yaml",
            """
            version: 1
            sources:
              - kafka:
                  id: pens
                  brokers: \(cluster.brokers)
                  topics: [points]
                  group: recognizers
                  kind: points
                  commit_ms: 200
                  metadata_bytes: \(isCrowded ? 64 : 4096)
                  until: \(until)
                  client:
                    session.timeout.ms: 6000
                    heartbeat.interval.ms: 500
                    partition.assignment.strategy: \(protocolName)
            \(Self.stages)
            sinks:
            \(sink("topic: results", number))\(hasCopies ? sink("id: copies, topic: copies, from: pens", number) : "")
            """)
    }

    private func sink(_ options: String, _ number: Int) -> String {
        let delivery =
            "delivery: \(delivery.rawValue)"
            + (delivery == .exactlyOnce ? ", transactional_id: worker-\(number)" : ", linger_ms: 20000")
        return "  - kafka: { \(options), brokers: \(cluster.brokers), \(delivery), \(client) }\n"
    }

    /// Lets three workers run while points arrive, with faults.
    func work(_ faults: Faults) async throws {
        var generator = SeededGenerator(seed: faults.seed)
        var workers = try (0..<3).map { try start(try worker($0), "worker-\($0)") }
        let sender = try startSending(faults)
        for count in 1...max(1, faults.kills) {
            try await Task.sleep(for: .milliseconds(Int.random(in: 300...2500, using: &generator)))
            if faults.troublesBrokers { trouble(&generator) }
            let number = Int.random(in: 0..<3, using: &generator)
            workers[number].send(SIGKILL)
            // From time to time, another worker is stopped, whatever it is doing.
            let stopped = (number + 1) % 3
            if count.isMultiple(of: 4) { workers[stopped].send(SIGTERM) }
            for number in count.isMultiple(of: 4) ? [number, stopped] : [number] {
                workers[number].waitForExit()
                workers[number] = try start(try worker(number), "worker-\(number)")
            }
        }
        for broker in 1...3 { _ = cluster("rtt \(broker) 0") }
        sender.waitForExit()
        for worker in workers { worker.send(SIGTERM) }
        for worker in workers { worker.waitForExit() }
    }

    /// Stops a worker after it has reported that it cannot commit its held frames, and starts another. Returns the exit code of the
    /// stopped worker.
    func stop() async throws -> Int32 {
        let sender = try startSending(Faults(kills: 4))
        let first = try start(try worker(0), "worker-0")
        try await waitForLog(of: 0) { $0.contains("kafka.metadata") }
        first.send(SIGTERM)
        let code = first.waitForExit()
        let second = try start(try worker(1), "worker-1")
        sender.waitForExit()
        second.send(SIGTERM)
        second.waitForExit()
        return code
    }

    /// Lets a worker hang that holds points and cannot commit them, until another worker has taken over its partition. Returns the
    /// exit code of the one that hung.
    func hang() async throws -> Int32 {
        // While points still arrive, so that gestures are incomplete at a commit.
        let sender = try startSending(Faults(kills: 4))
        let first = try start(try worker(0), "worker-0")
        try await waitForLog(of: 0) { $0.contains("kafka.metadata") }
        first.send(SIGSTOP)
        let second = try start(try worker(1), "worker-1")
        // The group gives the partition to the second worker after `session.timeout.ms`.
        try await waitForLog(of: 1) { $0.contains("pens: reads points") }
        sender.waitForExit()
        first.send(SIGCONT)
        try await waitForLog(of: 0) { $0.contains(/kafka\.(lost|fenced|transaction)/) }
        for worker in [first, second] { worker.send(SIGTERM) }
        second.waitForExit()
        return first.waitForExit()
    }

    /// Waits until the messages of a worker satisfy a condition.
    ///
    /// - Throws: ``Program/Missing`` if they do not within a minute.
    private func waitForLog(of number: Int, until isWanted: (String) -> Bool) async throws {
        for _ in 0..<600 {
            if let text = try? folder.read("worker-\(number).log"), isWanted(text) { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw Program.Missing(description: "a message of worker \(number); its messages are: \(log())")
    }

    /// Lets one worker process the remaining points, until the end of the topic. Returns how it ended.
    ///
    /// While results are missing, another worker follows, because two things can last longer than the first worker:
    /// - The transaction of a killed worker stays open for up to 20 seconds if its successor was killed before it could abort the
    ///   transaction. Readers do not see what was written after it.
    /// - A worker that was killed while it joined the group stays a member with partitions until its session times out.
    func finishWork(until expected: [String]) async throws -> Program.Ending {
        var ending = try await Program.run("run", try worker(0, until: "end"), folder: folder.path)
        for _ in 0..<4 where ending.code == 0 {
            if Set(try await results(repetitions: "keep").lines).isSuperset(of: expected) { break }
            try await Task.sleep(for: .seconds(3))
            ending = try await Program.run("run", try worker(0, until: "end"), folder: folder.path)
        }
        return ending
    }

    private func start(_ file: String, _ name: String) throws -> Program.Session {
        // Writes to a file, because nobody reads the output, and it must not fill a pipe.
        try Program.Session(
            "/bin/sh",
            ["-c", "exec \"$0\" run \"$1\" >>\"$2\" 2>&1", try Program.path(), file, "\(folder.path)/\(name).log"],
            folder: folder.path)
    }

    private func trouble(_ generator: inout SeededGenerator) {
        let (broker, partition) = (Int.random(in: 1...3, using: &generator), Int.random(in: 0..<3, using: &generator))
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: _ = cluster("leader points \(partition) \(broker)")
        case 1: _ = cluster("leader results \(partition) \(broker)")
        case 2: _ = cluster("rtt \(broker) \(Int.random(in: 1...80, using: &generator))")
        // The leader of a partition has moved, for produce (0) and fetch (1).
        default: _ = cluster("errors \(partition % 2) 3 6")
        }
    }

    /// Returns the last messages of the workers, for messages about failures.
    func log() -> String {
        (0..<3).compactMap { try? folder.read("worker-\($0).log") }.joined(separator: "\n").suffix(3000).description
    }

    // MARK: Results

    /// Reads the results, and the copies of the points if there are any.
    ///
    /// - Parameter repetitions: What happens to results that were written again: `drop` or `keep`.
    func results(repetitions: String) async throws -> (lines: [String], ending: Program.Ending) {
        let results = try await read("results", kind: "recognition", repetitions)
        guard hasCopies, results.ending.code == 0 else { return results }
        let copies = try await read("copies", kind: "points", repetitions)
        return ((results.lines + copies.lines).sorted(), copies.ending)
    }

    private func read(
        _ topic: String, kind: String, _ repetitions: String
    ) async throws -> (lines: [String], ending: Program.Ending) {
        readers += 1
        let file = try folder.write(
            "read-\(readers).yaml",
            """
            version: 1
            sources:
              - kafka:
                  brokers: \(cluster.brokers)
                  topics: [\(topic)]
                  group: readers-\(readers)
                  kind: \(kind)
                  until: end
                  repetitions: \(repetitions)
                  on_disorder: \(repetitions == "keep" ? "new_epoch" : "error")
            sinks: [stdout: { format: jsonl }]
            """)
        let ending = try await Program.run("run", file, folder: folder.path)
        return (Self.lines(ending.results), ending)
    }

    /// Returns the missing and the superfluous results. Both lists of results must be sorted.
    func differences(_ found: [String], _ expected: [String]) -> [String] {
        let changes = found.difference(from: expected)
        return changes.removals.map { Self.describe("missing", $0) }
            + changes.insertions.map { Self.describe("extra", $0) }
    }

    private static func describe(_ what: String, _ change: CollectionDifference<String>.Change) -> String {
        switch change {
        case .insert(_, let line, _), .remove(_, let line, _): "\(what): \(line.prefix(110))"
        }
    }

    private static func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init).sorted() }
}
