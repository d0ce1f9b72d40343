import Pipeline
import PipelineComponents
import PipelineConfiguration
import Testing

@testable import Connectors

@Suite struct ZMQConfigurationTests {
    private func findings(source: String? = nil, sink: String = "\"null\"") -> [String] {
        let source = source ?? "zmq: { bind: \"tcp://127.0.0.1:5556\", socket: pull }"
        let text = "version: 1\nsources:\n  - \(source)\nsinks:\n  - \(sink)\n"
        let loaded = PipelineLoader(registry: .standard).load(text: text)
        return loaded.diagnostics.map { "\($0.severity.rawValue) \($0.code): \($0.message)" }
    }

    @Test(
        "ZeroMQ options: common endpoints are accepted",
        arguments: [
            "tcp://127.0.0.1:5556", "tcp://*:5556", "tcp://127.0.0.1:*", "tcp://[::1]:5556", "tcp://eth0:80",
            "tcp://camera.local:65535", "ipc:///tmp/camera.sock", "ipc://@camera", "ipc://*", "inproc://camera",
        ])
    func good(text: String) {
        let quoted = "zmq: { bind: \"\(text)\", socket: pull, ipv6: true }"
        #expect(findings(source: quoted).filter { !$0.contains("zmq.open_address") } == [])
    }

    @Test(
        "ZeroMQ options: binding beyond this machine without keys is a warning",
        arguments: [
            ("tcp://127.0.0.1:5556", false), ("tcp://lo:5556", false), ("tcp://[::1]:5556", false),
            ("ipc:///tmp/camera.sock", false), ("inproc://camera", false), ("tcp://*:5556", true),
            ("tcp://0.0.0.0:5556", true), ("tcp://192.168.1.4:5556", true), ("tcp://eth0:5556", true),
        ])
    func openAddress(text: String, isWarned: Bool) {
        let warning = "warning zmq.open_address: everyone who reaches \(text) can connect and read or send"
        #expect(findings(source: "zmq: { bind: \"\(text)\", socket: pull, ipv6: true }") == (isWarned ? [warning] : []))
        let curve = "curve: { server: true, secret_key_env: KEY }"
        #expect(findings(source: "zmq: { bind: \"\(text)\", socket: pull, ipv6: true, \(curve) }") == [])
    }

    @Test(
        "ZeroMQ options: keys and passwords that do not fit together are findings",
        arguments: [
            ("curve: { server: true }", "zmq.no_secret_key"),
            ("curve: {}", "zmq.no_server_key"),
            ("curve: { server: true, secret_key_env: K, server_key_file: a.key }", "zmq.server_with_server_key"),
            ("curve: { secret_key_env: K, secret_key_file: k, server_key_file: a.key }", "zmq.two_keys"),
            ("curve: { server_key: \"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7\", server_key_file: a }", "zmq.two_keys"),
            ("curve: { server_key: short }", "zmq.bad_key"),
            ("curve: { server_key_file: a.key, allow: [] }", "zmq.allow_without_server"),
            ("curve: { server: true, secret_key_env: K, allow: [short] }", "zmq.bad_key"),
            ("plain: { password_env: P }", "option.missing"),
            ("plain: { username: u }", "zmq.password"),
            ("plain: { username: \"\", password_env: P }", "zmq.username"),
            ("plain: { username: \(String(repeating: "u", count: 256)), password_env: P }", "zmq.username"),
            ("plain: { username: u, password_env: P, password_file: p }", "zmq.password"),
            ("curve: { server_key_file: a.key }, plain: { username: u, password_env: P }", "zmq.two_mechanisms"),
        ])
    func security(options: String, code: String) {
        let found = findings(source: "zmq: { connect: \"tcp://127.0.0.1:5556\", socket: pull, \(options) }")
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("error \(code): ") ?? false, "\(found)")
    }

    @Test(
        "ZeroMQ options: an invalid endpoint is a finding that gives the reason",
        arguments: [
            ("127.0.0.1:5556", "it does not begin with tcp://, ipc:// or inproc://"),
            ("udp://127.0.0.1:5556", "\"udp\" is none of tcp, ipc and inproc"),
            ("tcp://", "nothing follows tcp://"),
            ("tcp://127.0.0.1", "the port is missing"),
            ("tcp://:5556", "the host is missing"),
            ("tcp://127.0.0.1:65536", "\"65536\" is not a port: a number up to 65535, or * to bind any"),
            ("tcp://127.0.0.1:port", "\"port\" is not a port: a number up to 65535, or * to bind any"),
            ("tcp://::1:5556", "write an IPv6 address in brackets, as in tcp://[::1]:5556"),
            ("tcp://a b:5556", "that is not a host"),
            ("ipc:///tmp/" + String(repeating: "x", count: 100), "the path has 105 bytes, more than 103"),
        ])
    func bad(text: String, words: String) {
        #expect(
            findings(source: "zmq: { bind: \"\(text)\", socket: pull }")
                == ["error zmq.bad_endpoint: \"\(text)\" is not an endpoint: \(words)"])
    }

    @Test("ZeroMQ options: a socket without an address, and wildcards in addresses to connect to, are findings")
    func addresses() {
        #expect(
            findings(source: "zmq: { socket: pull }") == ["error zmq.no_endpoint: neither bind nor connect is given"])
        #expect(
            findings(source: "zmq: { socket: pull, connect: [\"tcp://127.0.0.1:*\", \"tcp://*:5556\"] }") == [
                "error zmq.bad_endpoint: cannot connect to tcp://127.0.0.1:*: connecting needs the number of a port",
                "error zmq.bad_endpoint: cannot connect to tcp://*:5556: connecting needs the name or the address of a host",
            ])
    }

    @Test(
        "ZeroMQ options: an address that libzmq would refuse when the pipeline runs is a finding",
        arguments: [
            (
                "bind: \"tcp://localhost:5556\"",
                "zmq.bad_endpoint: cannot bind tcp://localhost:5556: localhost is a name, but binding needs an address"
            ),
            (
                "bind: \"tcp://[::1]:5556\"",
                "zmq.ipv6: tcp://[::1]:5556 is an address of IPv6, which is not switched on"
            ),
            (
                "connect: \"tcp://[::1]:5556\"",
                "zmq.ipv6: tcp://[::1]:5556 is an address of IPv6, which is not switched on"
            ),
            (
                "bind: [\"inproc://a\", \"inproc://b\", \"inproc://a\"]",
                "zmq.endpoint_twice: inproc://a is given twice and can be bound once"
            ),
            ("bind: [\"tcp://127.0.0.1:*\", \"tcp://127.0.0.1:*\"]", nil), ("connect: \"tcp://localhost:5556\"", nil),
            ("connect: \"tcp://[::1]:5556\", ipv6: true", nil),
        ])
    func refused(endpoints: String, finding: String?) {
        #expect(findings(source: "zmq: { socket: pull, \(endpoints) }") == (finding.map { ["error \($0)"] } ?? []))
    }

    @Test(
        "ZeroMQ options: a source that would receive nothing, and decode options without effect, are findings",
        arguments: [
            ("socket: sub, subscribe: []", "zmq.no_subscription: subscribe names no topics, so nothing is received"),
            (
                "socket: pull, decode: { frames: topic_and_payload, topic_delimiter: \" \" }",
                "option.conflict: \"topic_delimiter\" has no effect with frames: topic_and_payload"
            ),
            ("socket: pull, decode: { frames: one, topic_delimiter: \" \" }", nil),
            ("socket: pull, decode: { hz: 30 }", "option.conflict: \"hz\" has no effect for messages over ZeroMQ"),
        ])
    func unheard(options: String, finding: String?) {
        let found = findings(source: "zmq: { connect: \"tcp://127.0.0.1:5556\", \(options) }")
        #expect(found.filter { $0.hasPrefix("error") } == (finding.map { ["error \($0)"] } ?? []))
    }

    @Test("ZeroMQ options: sub in batch mode is a warning, since it can lose messages")
    func subInBatch() {
        #expect(
            findings(source: "zmq: { connect: \"tcp://127.0.0.1:5556\" }") == [
                "warning zmq.sub_in_batch: a sub socket can lose messages, but batch mode must not lose any"
            ])
    }

    @Test("ZeroMQ options: options without effect, and a push to several peers without split, are findings")
    func senseless() {
        #expect(
            findings(source: "zmq: { bind: \"inproc://a\", socket: pull, subscribe: pen }") == [
                "error zmq.no_effect: subscribe has no effect with socket: pull"
            ])
        #expect(
            findings(sink: "zmq: { id: out, bind: \"inproc://b\", split: true }") == [
                "error zmq.no_effect: split has no effect with socket: pub"
            ])
        #expect(
            findings(sink: "zmq: { id: out, bind: \"inproc://b\", socket: push, wait_for_subscribers: 1 }") == [
                "error zmq.no_effect: wait_for_subscribers has no effect with socket: push"
            ])
        let two = "[\"tcp://127.0.0.1:1\", \"tcp://127.0.0.1:2\"]"
        #expect(
            findings(sink: "zmq: { id: out, connect: \(two), socket: push }") == [
                "error zmq.several_peers: a push to several peers gives each only some of the frames"
            ])
        #expect(findings(sink: "zmq: { id: out, connect: \(two), socket: push, split: true }") == [])
    }

    @Test(
        "ZeroMQ options: reconnect_max_ms below reconnect_ms is a finding, unless reconnect_max_ms has its default value",
        arguments: [
            ("reconnect_ms: 200, reconnect_max_ms: 100", true), ("reconnect_max_ms: 99", true),
            ("reconnect_ms: 200, reconnect_max_ms: 200", false), ("reconnect_ms: 200, reconnect_max_ms: 0", false),
            ("reconnect_ms: 10000", false), ("reconnect_max_ms: 100", false),
        ])
    func pauses(options: String, isFound: Bool) {
        let found = findings(sink: "zmq: { id: out, bind: \"inproc://b\", \(options) }")
        #expect(found.count == (isFound ? 1 : 0))
        #expect(found.allSatisfy { $0.hasPrefix("error zmq.reconnect: reconnect_max_ms: ") }, "\(found)")
    }

    @Test("ZeroMQ options: the path of a socket's file is relative to the configuration's folder")
    func relativePath() throws {
        #expect(
            try ZMQEndpoint("ipc://run/camera.sock", baseDirectory: "/srv/pen").text == "ipc:///srv/pen/run/camera.sock"
        )
        #expect(try ZMQEndpoint("ipc:///run/camera.sock", baseDirectory: "/srv/pen").text == "ipc:///run/camera.sock")
    }
}
