import CZMQ
import Foundation
import Pipeline
import PipelineTesting
import Synchronization
import Testing

@testable import Connectors
@testable import Stages

@Suite("ZeroMQ publishers with slow or greedy subscribers")
struct ZMQPublisherTests {
    /// Returns a run that publishes the frames added to a stream.
    private func publishing(
        _ endpoint: ZMQEndpoint, options: Run.Options, maxStreams: Int? = nil,
        _ change: (inout ZMQSink.Options) -> Void = { _ in }
    ) throws -> (run: Run, frames: AsyncStream<Frame<Stroke>>.Continuation) {
        let (frames, continuation) = AsyncStream<Frame<Stroke>>.makeStream()
        let sink = try zmqSink {
            $0.socket = .pub
            $0.socketOptions.bind = [endpoint]
            change(&$0)
        }
        var plan = Plan.building()
        if let maxStreams { plan.maxStreams = maxStreams }
        plan.add("in", source: SequenceSource(frames))
        plan.add("out", sink: sink)
        return (Run(plan, options: options), continuation)
    }

    @Test(
        "ZeroMQ publisher: the frames that a stalled subscriber lost at the end of a burst are counted, although no frame follows"
    )
    func tail() async throws {
        let count = 30_000
        let log = LogLines()
        let (publisher, frames) = try publishing(try ZMQEndpoint("tcp://127.0.0.1:*"), options: log.options) {
            $0.waitForSubscribers = 1
            $0.sendHWM = 10
            $0.repeatMs = 20
        }
        publisher.start()
        let endpoint = try ZMQEndpoint(await log.next("bound to "))
        let source = try zmqSource {
            $0.socket = .sub
            $0.receiveHWM = 10
            $0.socketOptions.connect = [endpoint]
        }
        let (missing, told) = AsyncStream<Int64>.makeStream()
        var options = Run.Options()
        options.onDrop = { record in if record.reason == .lost { told.yield(record.count) } }
        let (subscriber, arriving, gate) = zmqStalled(source, options: options)
        subscriber.start()
        for frame in zmqStrokes(count, stream: "pen") { frames.yield(frame) }
        // From now on, the sink takes frames. Received and lost frames must add up although the stream does not end.
        gate.signal()
        let (known, tell) = AsyncStream<Int64>.makeStream()
        let counts = [
            Task { for await _ in arriving { tell.yield(1) } }, Task { for await lost in missing { tell.yield(lost) } },
        ]
        var total: Int64 = 0
        for await count in known {
            total += count
            if total >= 30_000 { break }
        }
        #expect(total == Int64(count))
        for count in counts { count.cancel() }
        subscriber.stop()
        let report = await subscriber.finished()
        #expect(report.isSuccess)
        let node = report.ledger.nodes[0]
        #expect(node.received + node.lost == Int64(count))
        #expect(node.lost > 0)
        #expect(node.failed == 0)
        frames.finish()
        #expect(await publisher.finished().isSuccess)
    }

    /// The memory that a flood may use. The thread sanitizer adds its own memory to whatever is accessed.
    private static var room: Int {
        #if PTHREAD_LOCKS
            400 << 20
        #else
            100 << 20
        #endif
    }

    @Test("ZeroMQ publisher: a peer that sends endlessly to a push is disconnected", .timeLimit(.minutes(3)))
    func intrusion() async throws {
        let log = LogLines()
        let (pusher, frames) = try publishing(try ZMQEndpoint("tcp://127.0.0.1:*"), options: log.options) {
            $0.socket = .push
        }
        pusher.start()
        let peer = try #require(RawConnection(await log.next("bound to ")))
        #expect(peer.shakeHands(as: "PULL"))
        let isHungUp = await withCheckedContinuation { continuation in
            startThread { continuation.resume(returning: Self.flood(peer)) }
        }
        #expect(isHungUp)
        _ = await log.next("a peer was disconnected")
        frames.finish()
        let report = await pusher.finished()
        #expect(report.isSuccess)
        #expect(report.ledger.nodes[1].counts["peers_refused"] == 1)
    }

    @Test(
        "ZeroMQ publisher: a sink numbers at most max_streams streams, and ends the one that was quiet longest when another begins"
    )
    func manyStreams() async throws {
        let folder = try TemporaryFolder()
        let endpoint = try zmqEndpoint(.ipc, folder)
        let kept = Collector<Stroke>()
        let receiver = zmqReceiving(try zmqSource { $0.socketOptions.bind = [endpoint] }, into: kept)
        receiver.start()
        var plan = Plan.building()
        plan.maxStreams = 2
        let streams = ["a", "b", "c", "a"]
        let frames = streams.enumerated().map { zmqStrokes(1, stream: StreamID($1), from: $0)[0] }
        plan.add("in", source: FramesSource<Stroke>(items: frames.map { .frame($0) }))
        plan.add("out", sink: try zmqSink { $0.socketOptions.connect = [endpoint] })
        #expect(await Run(plan).finished().isSuccess)
        #expect(await receiver.finished().isSuccess)
        #expect(kept.frames.map(\.stream) == ["a", "b", "c", "a"])
        #expect(kept.frames.map(\.sequence) == [0, 0, 0, 0])
        // The two evictions, then the ends of all streams.
        #expect(kept.ended == ["a", "b", "b", "c", "a"])
    }

    @Test(
        "ZeroMQ sink: the end before a new epoch says that the stream goes on, and the last end, also without a frame, does not"
    )
    func epochs() async throws {
        let folder = try TemporaryFolder()
        let endpoint = try zmqEndpoint(.ipc, folder)
        let peer = RawPeer(ZMQ_PULL)
        #expect(peer.bind(endpoint))
        let strokes = zmqStrokes(2, stream: "a")
        var plan = Plan.building()
        // The time goes back; then the second stream evicts the first one.
        plan.maxStreams = 1
        let items = [strokes[0], strokes[1], strokes[0]] + zmqStrokes(1, stream: "b", from: 2)
        plan.add(
            "in", source: FramesSource<Stroke>(items: items.map { .frame($0) }),
            rules: SourceRules(onDisorder: .newEpoch))
        plan.add("out", sink: try zmqSink { $0.socketOptions.connect = [endpoint] })
        #expect(await Run(plan).finished().isSuccess)
        let messages = (0..<8).map { _ in
            (String(decoding: peer.receive(), as: UTF8.self), String(decoding: peer.receive(), as: UTF8.self))
        }
        let ends = messages.map { stream, text in
            stream + (text.contains(#""pts""#) ? " frame" : text.contains(#""restarts":true"#) ? " restarts" : " end")
        }
        #expect(
            ends == ["a frame", "a frame", "a restarts", "a frame", "a restarts", "b frame", "a end", "b end"])
        #expect(
            messages[2].1 == #"{"v":1,"kind":"stroke","stream":"a","seq":2,"t_us":1000,"end":true,"restarts":true}"#)
        #expect(messages[6].1 == #"{"v":1,"kind":"stroke","stream":"a","seq":1,"t_us":0,"end":true}"#)
    }

    /// Sends up to 64 MB of subscriptions, which would take a gigabyte of the publisher's memory, until the publisher closes the
    /// connection. Returns false if the publisher does not close it.
    private static func flood(_ peer: RawConnection) -> Bool {
        let again = Array(repeatElement(ZMTP.frame([1, 0x78]), count: 16_000).joined())
        for _ in 0..<1000 where !peer.say(again) { break }
        return peer.hear()
    }

    @Test(
        "ZeroMQ publisher: a subscriber that is behind when the publisher ends receives the end and counts the lost frames",
        .timeLimit(.minutes(2)))
    func lostEnd() async throws {
        let count = 30_000
        let log = LogLines()
        let (publisher, frames) = try publishing(try ZMQEndpoint("tcp://127.0.0.1:*"), options: log.options) {
            $0.waitForSubscribers = 1
            $0.sendHWM = 10
            // The publisher ends as soon as the subscriber has disconnected.
            $0.socketOptions.lingerMs = 100_000
        }
        publisher.start()
        let endpoint = try ZMQEndpoint(await log.next("bound to "))
        let source = try zmqSource {
            $0.socket = .sub
            $0.receiveHWM = 10
            $0.socketOptions.connect = [endpoint]
        }
        let (subscriber, arriving, gate) = zmqStalled(source, options: Run.Options())
        subscriber.start()
        for frame in zmqStrokes(count, stream: "pen") { frames.yield(frame) }
        frames.finish()
        gate.signal()
        var arrived: Int64 = 0
        for await _ in arriving { arrived += 1 }
        let report = await subscriber.finished()
        #expect(report.isSuccess)
        let node = report.ledger.nodes[0]
        #expect(node.received == arrived)
        #expect(node.received + node.lost == Int64(count))
        #expect(node.lost > 0)
        let published = await publisher.finished()
        #expect(published.isSuccess)
        #expect(published.ledger.nodes[1].passed == Int64(count))
    }

    /// Receives messages until the ends of all streams have arrived, and returns the streams whose ends have arrived. Gives up after
    /// 10,000 messages, or when nothing arrives for 20 s.
    private static func ends(of streams: Set<String>, from endpoint: String) async -> Set<String> {
        await withCheckedContinuation { continuation in
            startThread {
                let subscriber = RawPeer(ZMQ_XSUB)
                subscriber.isPatient = false
                _ = subscriber.connect(endpoint)
                subscriber.send([[1]])
                var ended: Set<String> = []
                for _ in 0..<10_000 where !ended.isSuperset(of: streams) {
                    let stream = String(decoding: subscriber.receive(), as: UTF8.self)
                    let message = String(decoding: subscriber.receive(), as: UTF8.self)
                    if message.isEmpty { break }
                    if message.contains("\"end\":true") { ended.insert(stream) }
                }
                continuation.resume(returning: ended)
            }
        }
    }

    @Test(
        "ZeroMQ publisher: a subscriber with room for one message receives the ends of all streams, while the publisher runs and when it ends",
        .timeLimit(.minutes(3)), arguments: [true, false])
    func manyEnds(runs: Bool) async throws {
        let streams = (0..<20).map { "pen/\($0)" }
        let log = LogLines()
        let (publisher, frames) = try publishing(
            try ZMQEndpoint("tcp://127.0.0.1:*"), options: log.options, maxStreams: runs ? 20 : nil
        ) {
            $0.waitForSubscribers = 1
            $0.sendHWM = 1
            $0.repeatMs = 20
            // The publisher ends as soon as the subscriber has disconnected.
            $0.socketOptions.lingerMs = 100_000
        }
        publisher.start()
        for stream in streams { frames.yield(zmqStrokes(1, stream: StreamID(stream))[0]) }
        if runs {
            // Beyond max_streams, each new stream ends an old one.
            for number in 0..<20 { frames.yield(zmqStrokes(1, stream: StreamID("new/\(number)"), from: 1)[0]) }
        } else {
            frames.finish()
        }
        let ended = await Self.ends(of: Set(streams), from: await log.next("bound to "))
        #expect(ended == Set(streams))
        frames.finish()
        #expect(await publisher.finished().isSuccess)
    }

    @Test(
        "ZeroMQ publisher: a fast subscriber with room for one message receives the ends of 600 streams",
        .timeLimit(.minutes(3)))
    func quickEnds() async throws {
        let streams = (0..<600).map { "pen/\($0)" }
        let log = LogLines()
        let (publisher, frames) = try publishing(try ZMQEndpoint("tcp://127.0.0.1:*"), options: log.options) {
            $0.waitForSubscribers = 1
            $0.sendHWM = 1
            // After the first repetition, which is an hour away, only the close repeats the ends.
            $0.repeatMs = 3_600_000
            $0.socketOptions.lingerMs = 100_000
        }
        publisher.start()
        for stream in streams { frames.yield(zmqStrokes(1, stream: StreamID(stream))[0]) }
        frames.finish()
        let ended = await Self.ends(of: Set(streams), from: await log.next("bound to "))
        #expect(ended.count == 600)
        let report = await publisher.finished()
        #expect(report.isSuccess)
        #expect(report.ledger.unknownLosses == [])
    }

    @Test(
        "ZeroMQ publisher: a subscriber that subscribes endlessly is disconnected, and another one gets every frame",
        .timeLimit(.minutes(3)))
    func flood() async throws {
        let log = LogLines()
        let (publisher, frames) = try publishing(try ZMQEndpoint("tcp://127.0.0.1:*"), options: log.options) {
            $0.waitForSubscribers = 1
        }
        publisher.start()
        let endpoint = await log.next("bound to ")
        let source = try zmqSource {
            $0.socket = .sub
            $0.socketOptions.connect = [try ZMQEndpoint(endpoint)]
        }
        let (subscriber, received, gate) = zmqStalled(source, options: Run.Options())
        subscriber.start()
        gate.signal()
        var arriving = received.makeAsyncIterator()
        // Frames are sent one at a time, so that there is room for each.
        frames.yield(zmqStrokes(1, stream: "pen")[0])
        #expect(await arriving.next()?.timestamp == .zero)

        let peer = try #require(RawConnection(endpoint))
        #expect(peer.shakeHands(as: "SUB"))
        PeakMemory.forget()
        let before = PeakMemory.bytes
        let isHungUp = Lock<Bool?>(nil)
        let flooder = Task {
            await withCheckedContinuation { continuation in
                startThread { [peer] in
                    isHungUp.withLock { $0 = Self.flood(peer) }
                    continuation.resume()
                }
            }
        }
        var count = 1
        var rest = 100
        while rest > 0 {
            if isHungUp.withLock({ $0 }) != nil { rest -= 1 }
            let frame = zmqStrokes(1, stream: "pen", from: count)[0]
            frames.yield(frame)
            #expect(try #require(await arriving.next()).timestamp == frame.timestamp)
            count += 1
        }
        await flooder.value
        #expect(isHungUp.withLock { $0 } == true)
        #expect(PeakMemory.bytes - before < Self.room)
        frames.finish()
        let report = await publisher.finished()
        #expect(report.isSuccess)
        #expect(report.ledger.nodes[1].counts["subscribers_refused"] == 1)
        #expect(log.all.count { $0.contains("a subscriber was disconnected") } == 1)
        let end = await subscriber.finished()
        #expect(end.isSuccess)
        #expect(end.ledger.nodes[0].received == Int64(count))
        #expect(end.ledger.nodes[0].lost == 0)
    }

    @Test(
        "ZeroMQ publisher: a subscriber that subscribes endlessly is disconnected even while the publisher waits for others",
        .timeLimit(.minutes(3)))
    func early() async throws {
        let log = LogLines()
        let (publisher, frames) = try publishing(try ZMQEndpoint("tcp://127.0.0.1:*"), options: log.options) {
            $0.waitForSubscribers = 2
        }
        publisher.start()
        let peer = try #require(RawConnection(await log.next("bound to ")))
        #expect(peer.shakeHands(as: "SUB"))
        let isHungUp = await withCheckedContinuation { continuation in
            startThread { continuation.resume(returning: Self.flood(peer)) }
        }
        #expect(isHungUp)
        // The disconnection is logged although nothing has been sent yet.
        _ = await log.next("a subscriber was disconnected")
        publisher.stop()
        frames.finish()
        let report = await publisher.finished()
        #expect(report.ledger.nodes[1].counts["subscribers_refused"] == 1)
    }
}

/// The largest amount of memory that this process has used since the last reset; 0 if the system does not report it.
private enum PeakMemory {
    static func forget() { try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8) }

    static var bytes: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }
}
