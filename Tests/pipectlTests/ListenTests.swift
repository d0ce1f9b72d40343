import PipelineTesting
import Testing

@testable import pipectl

@Suite("listen")
struct ListenTests {
    @Test("Where nothing comes it is said whether anybody is there, and what may be wrong")
    func silence() async throws {
        let folder = try TemporaryFolder()
        let place = "ipc://\(folder.path)/s"
        let alone = await pipectl("listen", place, "--duration=0.01")
        #expect(alone.code == .failed)
        #expect(
            alone.messages == """
                error[listen.silence]: nobody answers at \(place)
                  = help: is the sender running, and is that its address? One that connects wants --bind

                """)
        let waiting = await pipectl("listen", place, "--duration=0.01", "--bind")
        #expect(
            waiting.messages == """
                listening at \(place)
                error[listen.silence]: nobody came to \(place)
                  = help: is the sender running, and does it connect there? Without --bind one is gone to

                """)
    }

    @Test(
        "An endpoint that cannot be is refused with one that can",
        arguments: [
            ("inproc://camera", "\"inproc://camera\" is reached from its own program only"),
            ("camera", "\"camera\" is no endpoint: it does not begin with tcp://, ipc:// or inproc://"),
            ("tcp://camera", "\"tcp://camera\" is no endpoint: the port is missing"),
        ])
    func endpoint(text: String, words: String) async {
        let answer = await pipectl("listen", text)
        #expect(answer.code == .configuration)
        #expect(answer.messages.hasPrefix("error: \(words)\n  = help: write tcp://127.0.0.1:5556"))
    }
}
