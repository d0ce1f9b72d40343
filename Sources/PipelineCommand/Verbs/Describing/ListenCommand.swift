import Connectors
import Pipeline

extension Command {
    private static let subscribe = Flag.text(
        "subscribe", placeholder: "PREFIX", repeats: true, "Receives only messages whose topic starts with PREFIX")
    private static let bind = Flag.toggle("bind", "Binds ENDPOINT and waits for senders that connect to it")
    private static let pull = Flag.toggle(
        "pull", "Receives pushed messages instead of published ones; other receivers do not get these messages")
    private static let count = Flag.integer("count", in: 1...1_000_000_000, "Stops after N messages")
    private static let suggest = Flag.toggle(
        "suggest", "Writes only a pipeline that reads the messages")

    /// `pipectl listen ENDPOINT`.
    static let listen: Command = Command(
        "listen", "show what a sender sends over ZeroMQ, and how to read it",
        details: """
            Shows the number, rate, losses and size of the messages of every stream; the structure of the last message; and a \
            pipeline that reads the messages. Runs until you interrupt, or until a limit of --count or --duration is reached.

            With --suggest, only the pipeline is written. It has been tried on the messages that arrived. Without --count and \
            --duration, these are 20 messages, or fewer if they take longer than three seconds.
            """,
        arguments: [Argument("ENDPOINT", "the address of the sender: tcp://HOST:PORT or ipc://PATH")],
        flags: [
            subscribe.description, bind.description, pull.description, count.description, Flags.end.description,
            suggest.description, Flags.format.description,
        ] + LogFlags.all,
        examples: [
            Example("pipectl listen tcp://127.0.0.1:5556", "Shows what a publisher sends, until control-C"),
            Example(
                "pipectl listen tcp://127.0.0.1:5556 --suggest > camera.yaml",
                "Writes a pipeline that reads the messages"),
            Example(
                "pipectl listen tcp://0.0.0.0:5556 --bind --pull --count=10",
                "Waits for senders that push to this machine"),
        ]
    ) { invocation, console in
        let place = try place(invocation)
        // The report shows whether there is a sender, so log lines about connections are left out.
        let problems = Log { if $0.level >= .warning { console.say(Notice($0)) } }
        let listener = try MessageListener(place, log: problems)
        defer { listener.close() }
        Signals.listen(console) { listener.stop() }
        if place.isBound { console.say("listening at \(listener.endpoint)") }
        let clock = SystemClock()
        let survey = try take(invocation, console, now: { clock.now }, receive: listener.next(before:)) {
            silence(place, listener.endpoint, met: try listener.peerStatus(), isOver: false)
        }
        guard survey.messages > 0 else {
            let (message, help) = silence(place, listener.endpoint, met: try listener.peerStatus())
            console.error(message, code: "listen.silence", help: [help])
            return .failed
        }
        if invocation[suggest] {
            guard let suggestion = survey.suggestion(place) else {
                console.error(
                    "nothing in these messages looks like points", code: "listen.unknown",
                    help: [survey.remedy ?? "pipectl listen without --suggest shows what they look like"])
                return .failed
            }
            if survey.failed > 0 {
                console.warning(
                    "\(survey.failed) of the \(survey.messages) messages seen do not fit this pipeline; listen without --suggest shows which"
                )
            }
            try console.writeResult(suggestion)
        } else if invocation[Flags.format] == .json {
            try console.writeResult(ListenReport.json(survey, place).document)
        } else {
            try console.writeResult(ListenReport.text(survey, place, console.resultStyle))
        }
        return .done
    }

    /// Returns the message for the case that nothing arrived: whether there is a peer, and what may be wrong.
    ///
    /// - Parameters:
    ///   - endpoint: The address, as it was bound or connected to.
    ///   - met: The kind of peer that has connected.
    ///   - isOver: Whether listening has ended; otherwise a message may still arrive.
    static func silence(
        _ place: MessageListener.Place, _ endpoint: String, met: MessageListener.PeerStatus, isOver: Bool = true
    ) -> (message: String, help: String) {
        if met == .stranger {
            return (
                "a peer is at \(endpoint), but it does not \(place.socket == .pull ? "push" : "publish")",
                place.socket == .pull
                    ? "a sender that publishes needs no --pull" : "a sender that pushes needs --pull"
            )
        }
        if met == .sender {
            let help =
                if place.socket == .pull {
                    "does it send at all? A sender that publishes needs no --pull"
                } else if place.subscriptions.isEmpty {
                    "does it send at all? A sender that pushes needs --pull"
                } else {
                    "does a topic begin with this prefix? Without --subscribe, every message is received"
                }
            return ("a peer is at \(endpoint), and nothing \(isOver ? "came" : "has come yet")", help)
        }
        return place.isBound
            ? (
                isOver ? "no peer connected to \(endpoint)" : "no peer has connected to \(endpoint) yet",
                "is the sender running, and does it connect there? Without --bind, listen connects to the sender"
            )
            : (
                isOver ? "no answer from \(endpoint)" : "no answer from \(endpoint) yet",
                "is the sender running, and is that its address? A sender that connects needs --bind"
            )
    }

    private static func place(_ invocation: Invocation) throws -> MessageListener.Place {
        let endpoint: ZMQEndpoint
        do { endpoint = try ZMQEndpoint(invocation.words[0]) } catch {
            throw UsageError(error.message, help: error.help ?? "write tcp://127.0.0.1:5556 or ipc:///tmp/camera.sock")
        }
        guard endpoint.transport != .inproc else {
            throw UsageError(
                "\"\(endpoint)\" can be reached only from its own program",
                help: "write tcp://127.0.0.1:5556 or ipc:///tmp/camera.sock")
        }
        if !invocation[bind], let problem = endpoint.problemOfConnecting {
            throw UsageError(
                "cannot connect to \(endpoint): \(problem)",
                help: "add --bind to wait there for senders that connect, or say where the sender is")
        }
        if invocation[bind], let (problem, help) = endpoint.problemOfBinding {
            throw UsageError("cannot bind \(endpoint): \(problem)", help: help)
        }
        var place = MessageListener.Place(endpoint)
        place.isBound = invocation[bind]
        place.socket = invocation[pull] ? .pull : .sub
        place.subscriptions = invocation.all(subscribe)
        if invocation[pull], !place.subscriptions.isEmpty {
            throw UsageError(
                "--subscribe has an effect only on published messages", help: "leave out --pull or --subscribe")
        }
        return place
    }

    /// Receives messages until a limit is reached or the user interrupts. Without limits, prints a line per stream every second.
    /// Reports once if nothing arrives in the first second.
    ///
    /// - Parameters:
    ///   - now: Returns the time, in nanoseconds.
    ///   - receive: Returns the next message, or `nil` at a deadline or after an interrupt.
    ///   - silence: Returns the message for the case that nothing has arrived yet.
    static func take(
        _ invocation: Invocation, _ console: Console, now: () -> Int64,
        receive: (_ deadline: Int64) throws -> ReceivedMessage?, silence: () throws -> (message: String, help: String)
    ) throws -> SenderSurvey {
        let isWatching =
            !invocation[suggest] && invocation[count] == nil && invocation[Flags.end] == nil
            && invocation[Flags.format] != .json
        var survey = SenderSurvey(among: invocation.kinds)
        var end = invocation[Flags.end].map { now().addingSaturated($0) } ?? .max
        let limit = invocation[count] ?? (invocation[suggest] && invocation[Flags.end] == nil ? 20 : .max)
        var nextLine = now() + 1_000_000_000
        var hasReported = false
        while survey.messages < limit, now() < end {
            let wait = isWatching || !hasReported ? min(end, nextLine) : end
            if let message = try receive(wait) {
                hasReported = true
                if survey.messages == 0, invocation[suggest], invocation[count] == nil, invocation[Flags.end] == nil {
                    end = now() + 3_000_000_000
                }
                survey.take(message)
            } else if now() < wait {
                // The user has interrupted.
                break
            }
            guard now() >= nextLine else { continue }
            if isWatching, survey.messages > 0 { try console.writeResult(ListenReport.line(survey)) }
            if !hasReported {
                let (message, help) = try silence()
                console.say("\(message) (\(help))")
            }
            hasReported = true
            nextLine = now() + 1_000_000_000
        }
        return survey
    }
}
