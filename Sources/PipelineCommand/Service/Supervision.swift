import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The duties of a long-running verb: it stops on a signal, and reports its state to the service manager that started it.
struct Supervision: Sendable {
    /// The service manager that started this program, if any.
    let service: ServiceManager?
    private let console: Console

    /// Creates a supervision. Connects to the service manager if the environment names one.
    init(_ console: Console) { (service, self.console) = (ServiceManager(console), console) }

    /// Sets the options of a run that is about to be created, so that it reports to the service manager when it is ready.
    func reportReadiness(of options: inout Run.Options) { options.onOpen = { [service] in service?.ready() } }

    /// Lets a signal stop a run, and reports the run's state to the service manager until the run ends.
    ///
    /// - Parameters:
    ///   - interrupted: Ends work that continues after the run has ended. The first signal requests this stop, too.
    ///   - status: Returns the run's state, in a few words.
    ///   - onForce: Called when a second signal arrives, just before the process ends.
    func watch(
        _ run: Run, until interrupted: StopSignal? = nil, status: @escaping @Sendable () -> String,
        onForce: @escaping @Sendable () -> Void = {}
    ) {
        Signals.listen(console, onForce: onForce) { [service] in
            service?.stopping()
            run.stop()
            interrupted?.request()
        }
        guard let service else { return }
        let pause = min(service.watchdog.map { $0 / 4 } ?? .max, Self.statusInterval)
        // The loop has a thread of its own, because it must run even if all threads of the pool are busy or hang.
        startThread { [console] in
            var watchdog = Watchdog()
            var sinceStatus: Int64 = 0
            while !run.hasEnded {
                sleep(pause)
                guard service.isReady else { continue }
                sinceStatus += pause
                var words: String?
                if sinceStatus >= Self.statusInterval { (words, sinceStatus) = (status(), 0) }
                switch watchdog.look(at: run.pulse) {
                case .feed where service.watchdog != nil: service.feed(words)
                case .feed: if let words { service.say(words) }
                case .complain(let nodes):
                    let names = nodes.joined(separator: ", ")
                    service.say("hangs: \(names)")
                    console.warning("makes no progress: \(names)", code: "run.hangs")
                case .starve: break
                }
            }
            service.stopping()
        }
    }

    private static let statusInterval: Int64 = 5_000_000_000

    private func sleep(_ nanoseconds: Int64) {
        var left = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        // A signal ends the sleep early; the loop then sleeps for the remaining time.
        var rest = left
        while nanosleep(&left, &rest) != 0, errno == EINTR { left = rest }
    }
}
