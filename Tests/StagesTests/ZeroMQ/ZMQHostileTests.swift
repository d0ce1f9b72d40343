import Pipeline
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

/// Messages of peers that are not our programs.
@Suite struct ZMQHostileTests {
    /// Runs a receiver that skips errors, with the messages of a raw peer. The last message must end a stream.
    private func receive(
        _ change: @escaping @Sendable (inout ZMQSource.Options) -> Void = { _ in }, _ send: (RawPeer) -> Void
    ) async throws -> (kept: Collector<Stroke>, source: Ledger.Node, log: LogLines) {
        let log = LogLines()
        let kept = Collector<Stroke>()
        let source = try zmqSource {
            $0.socketOptions.bind = [try ZMQEndpoint("tcp://127.0.0.1:*")]
            $0.ends = 1
            change(&$0)
        }
        let receiver = zmqReceiving(source, into: kept, onError: .skip, options: log.options)
        receiver.start()
        let endpoint = await log.next("bound to ")
        let peer = RawPeer()
        #expect(peer.connect(endpoint))
        send(peer)
        let report = await receiver.finished()
        #expect(report.failures.isEmpty)
        #expect(report.violations == [])
        return (kept, report.ledger.nodes[0], log)
    }

    @Test(
        "Hostile ZeroMQ messages: gaps in the numbers count as lost frames, and the gap of the next frame is the number of lost frames"
    )
    func holes() async throws {
        let (kept, source, _) = try await receive { peer in
            for (index, sequence) in [10, 11, 15, 16].enumerated() { peer.stroke("a", sequence, at: index) }
            // Another stream has its own numbers.
            peer.stroke("b", 99, at: 7)
            peer.stroke("a", 18, at: 9, end: true)
        }
        #expect(kept.frames.map(\.sequence) == [10, 11, 15, 16, 99, 18])
        #expect(kept.frames.map(\.gap) == [0, 0, 3, 0, 0, 1])
        #expect(source.lost == 4)
    }

    @Test("Hostile ZeroMQ messages: a duplicate is dropped, and a sender that starts again begins a new epoch")
    func duplicatesAndRestarts() async throws {
        let (kept, source, _) = try await receive { peer in
            peer.stroke("a", 0, at: 100)
            peer.stroke("a", 1, at: 200)
            peer.stroke("a", 1, at: 200)
            peer.stroke("a", 0, at: 300)
            peer.stroke("a", 1, at: 400, end: true)
        }
        #expect(kept.frames.map(\.timestamp.rawValue) == [100, 200, 300, 400])
        #expect(source.dropped == ["duplicate": 1])
        #expect(source.lost == 0)
        #expect(kept.ended == ["a", "a"])
    }

    @Test(
        "Hostile ZeroMQ messages: a sender that restarts with its own clock begins a new epoch, and no frame is a duplicate"
    )
    func restartWithOwnClock() async throws {
        let (kept, source, _) = try await receive { peer in
            for number in 0..<40 { peer.stroke("a", number, at: 5_000_000 + 1000 * number) }
            for number in 0..<40 { peer.stroke("a", number, at: 1000 * number, end: number == 39) }
        }
        #expect(kept.frames.count == 80)
        #expect(source.dropped == [:])
        #expect(source.counts["restarts"] == 1)
        #expect(kept.ended == ["a", "a"])
    }

    @Test(
        "Hostile ZeroMQ messages: two senders that use one name are logged with a remedy, and cause only one new epoch"
    )
    func twoSenders() async throws {
        let (kept, source, log) = try await receive { peer in
            for number in 0..<100 {
                peer.stroke("a", 5000 + number, at: 1000 * number + 1)
                peer.stroke("a", number, at: 1000 * number + 2, end: number == 99)
            }
        }
        #expect(kept.frames.count == 200)
        #expect(source.lost == 0)
        #expect(source.dropped == [:])
        // One end is noted when the second sender appears, because it could be the first one after a restart. The other end was
        // sent.
        #expect(kept.ended.count == 2)
        #expect(source.counts["mixed_senders"] == 1)
        let warning = try #require(log.all.first { $0.contains("several senders") })
        #expect(warning.contains("\"a\"") && warning.contains("map_stream"))
    }

    @Test("Hostile ZeroMQ messages: a stream's name of more than 4 KB, in a topic or in a message, is a counted error")
    func longNames() async throws {
        let long = String(repeating: "n", count: 4097)
        let (kept, source, log) = try await receive { peer in
            peer.send(long, "{\"seq\":0,\"t_us\":5,\"fields\":\"xy\",\"pts\":[]}")
            peer.send("{\"stream\":\"\(long)\",\"seq\":0,\"t_us\":5,\"fields\":\"xy\",\"pts\":[]}")
            peer.stroke("z", 0, at: 0, end: true)
        }
        #expect(kept.frames.map(\.stream) == ["z"])
        #expect(source.failed == 2)
        #expect(log.all.contains { $0.contains("message 1") && $0.contains("4097 bytes, more than 4096") })
    }

    @Test(
        "Hostile ZeroMQ messages: each unreadable message is one counted error with its position, and later messages are read"
    )
    func malformed() async throws {
        let garbage: [[UInt8]] = [[0xFF, 0x00, 0x7B], Array("{\"t_us\":".utf8), [], Array("[1,2".utf8)]
        let (kept, source, log) = try await receive { peer in
            peer.stroke("a", 0, at: 0)
            for bytes in garbage { peer.send([bytes]) }
            peer.send("a", "")
            peer.send("a", "{\"seq\":2,\"t_us\":1,\"fields\":\"xy\",\"pts\":[1,oops]}")
            peer.send([[0xC3, 0x28], Array("{}".utf8)])
            peer.send("a", "{\"kind\":\"hands\",\"seq\":3,\"t_us\":2,\"hands\":[]}")
            peer.stroke("a", 4, at: 3, end: true)
        }
        #expect(kept.frames.map(\.sequence) == [0, 4])
        #expect(source.failed == 8)
        #expect(source.received == 10)
        // Three of the unreadable messages belong to stream a, so its three missing numbers do not count as lost.
        #expect(source.lost == 0)
        #expect(kept.frames.last?.gap == 3)
        let first = try #require(log.all.first { $0.contains("message 2") })
        #expect(first.contains("camera") && first.contains("byte"))
    }

    @Test(
        "Hostile ZeroMQ messages: an unreadable message that names its stream counts as failed, and not as lost too"
    )
    func failedOnce() async throws {
        let (kept, source, _) = try await receive { peer in
            for number in 0..<10 {
                let value = number % 3 == 1 ? "\"oops\"" : "0"
                peer.send(
                    "{\"v\":1,\"stream\":\"a\",\"seq\":\(number),\"t_us\":\(number),\"fields\":\"xy\",\"pts\":[0,\(value)]}"
                )
            }
            peer.stroke("a", 12, at: 20, end: true)
        }
        #expect(kept.frames.map(\.sequence) == [0, 2, 3, 5, 6, 8, 9, 12])
        #expect(source.failed == 3)
        #expect(source.lost == 2)
        #expect(kept.frames.map(\.gap) == [0, 1, 0, 1, 0, 1, 0, 2])
    }

    @Test(
        "Hostile ZeroMQ messages: the last message of a stream ends it even if its payload cannot be read",
        .timeLimit(.minutes(1)), arguments: ["[1]", "[1,NaN]", "\"oops\""])
    func unreadEnd(points: String) async throws {
        let (kept, source, _) = try await receive { peer in
            peer.stroke("a", 0, at: 0)
            peer.send("a", "{\"v\":1,\"t_us\":5,\"fields\":\"xy\",\"pts\":\(points),\"seq\":1,\"end\":true}")
        }
        #expect(kept.frames.map(\.sequence) == [0])
        #expect(source.failed == 1)
        #expect(source.lost == 0)
        #expect(kept.ended == ["a"])
    }

    @Test(
        "Hostile ZeroMQ messages: numbers out of range are counted errors, and a number far ahead is a restarted sender"
    )
    func numbersOutOfNowhere() async throws {
        let (kept, source, log) = try await receive { peer in
            peer.stroke("a", 0, at: 0)
            peer.stroke("a", -3, at: 1)
            peer.stroke("a", 1 << 53, at: 2)
            peer.stroke("a", 9_007_199_254_740_991, at: 3)
            peer.stroke("a", 1, at: 4, end: true)
        }
        #expect(kept.frames.map(\.timestamp.rawValue) == [0, 3, 4])
        #expect(source.failed == 2)
        #expect(source.lost == 0)
        // The last message continues after the first one. Only the one with the number far ahead began a new epoch.
        #expect(kept.ended == ["a", "a"])
        #expect(log.all.contains { $0.contains("message 2") && $0.contains("\"seq\"") })
    }

    @Test("Hostile ZeroMQ messages: messages of too many parts are counted errors, and do not end the source")
    func parts() async throws {
        let (kept, source, _) = try await receive { peer in
            peer.send("a", "b", "c")
            peer.send((0..<1000).map { _ in [0x61] })
            peer.send("", "", "", "")
            peer.stroke("a", 0, at: 0, end: true)
        }
        #expect(kept.frames.count == 1)
        #expect(source.failed == 3)
    }

    @Test(
        "Hostile ZeroMQ messages: messages with another number of parts than the option frames demands are counted errors",
        arguments: [DecodeOptions.Frames.one, .topicAndPayload])
    func cuts(frames: DecodeOptions.Frames) async throws {
        let json = "{\"stream\":\"inside\",\"t_us\":0,\"fields\":\"xy\",\"pts\":[1,2],\"end\":true}"
        let (kept, source, _) = try await receive {
            $0.decode.frames = frames
        } _: { peer in
            if frames == .one { peer.send("topic", json) } else { peer.send(json) }
            if frames == .one { peer.send(json) } else { peer.send("topic", json) }
        }
        #expect(source.failed == 1)
        #expect(kept.frames.map(\.stream) == [frames == .one ? "inside" : "topic"])
    }

    @Test("Hostile ZeroMQ messages: the topic is the stream, whatever it is: empty, 4 KB, with a NUL")
    func topics() async throws {
        let long = String(repeating: "pen/", count: 1024)
        let (kept, source, _) = try await receive { peer in
            for topic in ["", long, "a\u{0}b", long] { peer.send(topic, "{\"t_us\":5,\"fields\":\"xy\",\"pts\":[]}") }
            peer.stroke("z", 0, at: 0, end: true)
        }
        #expect(kept.frames.map(\.stream.name) == ["", long, "a\u{0}b", "z"])
        // Without numbers, a second message with the same time is disorder, not a duplicate.
        #expect(source.failed == 1)
    }

    @Test("Hostile ZeroMQ messages: a message over the limit is not received, and another sender's messages are")
    func tooLarge() async throws {
        let (kept, source, _) = try await receive {
            $0.maxMessageBytes = 1000
        } _: { peer in
            // Otherwise libzmq would reconnect and send the message again, forever.
            peer.isPatient = false
            peer.send([[UInt8](repeating: 0x20, count: 1_000_000)])
            let other = RawPeer()
            if let endpoint = peer.endpoint { #expect(other.connect(endpoint)) }
            other.stroke("a", 0, at: 0)
            other.stroke("a", 1, at: 1, end: true)
        }
        #expect(kept.frames.count == 2)
        #expect(source.failed == 0)
    }

    @Test("Hostile ZeroMQ messages: a message of nearly 16 MiB arrives")
    func large() async throws {
        let count = 1 << 20
        let numbers = (0..<count).map { "\($0 % 900 + 100).0000000000" }.joined(separator: ",")
        let (kept, _, _) = try await receive { peer in
            peer.send("a", "{\"t_us\":0,\"fields\":\"xy\",\"pts\":[\(numbers)],\"end\":true}")
        }
        #expect(kept.frames.first?.payload.samples.count == count / 2)
        #expect(kept.frames.first?.payload.samples[100].x == 300)
    }

    @Test(
        "Hostile ZeroMQ messages: of a hundred thousand streams, no frame is lost"
    )
    func manyStreams() async throws {
        let (kept, source, _) = try await receive { peer in
            for index in 0..<100_000 { peer.stroke("stream \(index)", 5, at: index) }
            peer.stroke("last", 0, at: 0, end: true)
        }
        #expect(kept.frames.count == 100_001)
        #expect(source.lost == 0)
    }

    @Test(
        "Hostile ZeroMQ messages: an address in use is an environment error that names the address", arguments: [0, 1])
    func addressInUse(index: Int) async throws {
        let transport = [ZMQEndpoint.Transport.tcp, .ipc][index]
        let folder = try TemporaryFolder()
        let log = LogLines()
        let holder = zmqReceiving(
            try zmqSource { $0.socketOptions.bind = [try zmqEndpoint(transport, folder)] },
            into: Collector<Stroke>(), options: log.options)
        holder.start()
        let endpoint = await log.next("bound to ")
        let second = await zmqReceiving(
            try zmqSource { $0.socketOptions.bind = [try ZMQEndpoint(endpoint)] }, into: Collector<Stroke>()
        ).finished()
        let error = try #require(second.failures.first?.error)
        #expect(error.category == .environment)
        #expect(error.code == "zmq.address_in_use")
        #expect(error.message == "cannot bind \(endpoint): the address is taken")
        holder.stop()
        #expect(await holder.finished().isSuccess)
    }
}
