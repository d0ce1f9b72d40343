import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a verb that goes on for long has to do beside its work: to stop when it is told to, and to say how it is doing to who started
/// it as a service.
struct Supervision: Sendable {
    /// The service manager, if one started this program.
    let service: ServiceManager?
    private let console: Console

    /// Looks for a service manager.
    init(_ console: Console) { (service, self.console) = (ServiceManager(console), console) }

    /// Lets a run that is to be made say when it is ready.
    func prepare(_ options: inout Run.Options) { options.onOpen = { [service] in service?.ready() } }

    /// Lets a signal stop a run, and says how it is doing for as long as it goes on.
    ///
    /// - Parameters:
    ///   - interrupted: Requested with the first signal, for what goes on when the run has ended.
    ///   - status: How it is doing, in a few words.
    ///   - onForce: What is still to be done when a second signal ends the process at once.
    func watch(
        _ run: Run, until interrupted: StopSignal? = nil, status: @escaping @Sendable () -> String,
        onForce: (@Sendable () -> Void)? = nil
    ) {
        Signals.listen(onForce: onForce) { [service] in
            service?.stopping()
            run.stop()
            interrupted?.request()
        }
        guard let service else { return }
        let pause = min(service.watchdog.map { $0 / 4 } ?? .max, Self.statusInterval)
        // A thread of its own: that of the pool may all be busy, which is no hanging, or hang, which must be told.
        startThread { [console] in
            var watchdog = Watchdog()
            var untold: Int64 = 0
            while !run.hasEnded {
                sleep(pause)
                guard service.isReady else { continue }
                untold += pause
                var words: String?
                if untold >= Self.statusInterval { (words, untold) = (status(), 0) }
                switch watchdog.look(at: run.pulse) {
                case .feed where service.watchdog != nil: service.feed(words)
                case .feed: if let words { service.say(words) }
                case .complain(let nodes):
                    let names = nodes.joined(separator: ", ")
                    service.say("hangs: \(names)")
                    var message = Notice(.warning, "does not get on: \(names) [run.hangs]")
                    message.code = "run.hangs"
                    console.say(message)
                case .starve: break
                }
            }
            service.stopping()
        }
    }

    private static let statusInterval: Int64 = 5_000_000_000

    private func sleep(_ nanoseconds: Int64) {
        var left = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        // A signal ends it early; what is left is slept then.
        var rest = left
        while nanosleep(&left, &rest) != 0, errno == EINTR { left = rest }
    }
}
