import Pipeline
import Stages
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The service manager that started this program and wants to know its state: systemd, or any other that understands sd_notify(3).
final class ServiceManager: Sendable {
    private struct State {
        var isReady = false
        var isStopping = false
        var hasComplained = false

        var isRunning: Bool { isReady && !isStopping }
    }

    private let socket: NotifySocket
    private let console: Console
    private let state = Lock(State())

    /// The interval within which the service manager must hear that the program is alive, in nanoseconds; `nil` if it does not
    /// expect such reports.
    let watchdog: Int64?

    /// Connects to the service manager that the environment names. Fails if it names none.
    init?(_ console: Console) {
        guard let path = console.environment["NOTIFY_SOCKET"], !path.isEmpty else { return nil }
        guard let socket = NotifySocket(path) else {
            console.warning(
                "NOTIFY_SOCKET is \"\(path)\", which is not the address of a socket, so the service manager gets no reports"
            )
            return nil
        }
        (self.socket, self.console) = (socket, console)
        watchdog = Self.watchdog(console.environment, process: getpid())
    }

    /// Returns the interval within which a process must report that it is alive, in nanoseconds; `nil` if no reports are expected.
    static func watchdog(_ environment: [String: String], process: Int32) -> Int64? {
        guard let microseconds = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), microseconds > 0 else {
            return nil
        }
        // The variables may be meant for a parent process, from which this process inherited them.
        if let meant = environment["WATCHDOG_PID"], Int32(meant) != process { return nil }
        return microseconds.multipliedReportingOverflow(by: 1000).overflow ? nil : microseconds * 1000
    }

    /// Reports that all components of the run are open. Has no effect after ``stopping()``.
    func ready() {
        send("READY=1\nSTATUS=running") { state in
            state.isReady = true
            return !state.isStopping
        }
    }

    /// Whether ``ready()`` has been called and ``stopping()`` has not.
    var isReady: Bool { state.withLock { $0.isRunning } }

    /// Reports that the configuration is being read again. ``reloaded()`` reports the end of the reload, whether it succeeded or
    /// not. Neither has an effect before ``ready()`` or after ``stopping()``.
    func reloading() {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let microseconds = Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
        send("RELOADING=1\nMONOTONIC_USEC=\(microseconds)\nSTATUS=reading the configuration again") { $0.isRunning }
    }

    /// Reports that the reload has ended.
    func reloaded() { send("READY=1\nSTATUS=running") { $0.isRunning } }

    /// Reports that this program is about to end. Only the first call has an effect.
    func stopping() {
        send("STOPPING=1\nSTATUS=finishing the frames in flight") { state in
            defer { state.isStopping = true }
            return !state.isStopping
        }
    }

    /// Reports a one-line status.
    func say(_ status: String) { send("STATUS=\(status.shown)") }

    /// Reports that the program is alive, with a one-line status if there is one.
    func feed(_ status: String?) { send("WATCHDOG=1" + (status.map { "\nSTATUS=\($0.shown)" } ?? "")) }

    /// Changes the state, and sends a message if `change` returns true. The lock is held meanwhile, so that messages arrive in
    /// the order of the changes.
    private func send(_ text: String, after change: (inout State) -> Bool = { _ in true }) {
        let complaint = state.withLock { state -> Int32? in
            guard change(&state), let error = socket.send(text) else { return nil }
            defer { state.hasComplained = true }
            return state.hasComplained ? nil : error
        }
        if let complaint { console.warning("cannot report to NOTIFY_SOCKET: \(String(cString: strerror(complaint)))") }
    }
}
