import Pipeline
import Stages
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Who started this program as a service, and wants to know how it is doing: systemd, or another that takes sd_notify(3).
final class ServiceManager: Sendable {
    private struct State {
        var isReady = false
        var isStopping = false
        var hasComplained = false
    }

    private let socket: NotifySocket
    private let console: Console
    private let state = Lock(State())

    /// How often it must hear that the program is alive, in nanoseconds; `nil` when it does not ask for that.
    let watchdog: Int64?

    /// The one that the environment names; `nil` when there is none.
    init?(_ console: Console) {
        guard let path = console.environment["NOTIFY_SOCKET"], !path.isEmpty else { return nil }
        guard let socket = NotifySocket(path) else {
            console.warning(
                "NOTIFY_SOCKET is \"\(path)\", which is no socket: nobody is told that this program is ready")
            return nil
        }
        (self.socket, self.console) = (socket, console)
        watchdog = Self.watchdog(console.environment, process: getpid())
    }

    /// How often a process must say that it is alive, in nanoseconds.
    static func watchdog(_ environment: [String: String], process: Int32) -> Int64? {
        guard let microseconds = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), microseconds > 0 else {
            return nil
        }
        // It may be meant for the process that started this one.
        if let meant = environment["WATCHDOG_PID"], Int32(meant) != process { return nil }
        return microseconds.multipliedReportingOverflow(by: 1000).overflow ? nil : microseconds * 1000
    }

    /// Says that everything is open; after a reload, that it is over.
    func ready() {
        state.withLock { $0.isReady = true }
        send("READY=1\nSTATUS=running")
    }

    /// Whether it has been told that this program is ready, and not that it stops.
    var isReady: Bool { state.withLock { $0.isReady && !$0.isStopping } }

    /// Says that the configuration is read again. ``ready()`` says when that is over, whatever came of it.
    func reloading() {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let microseconds = Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
        send("RELOADING=1\nMONOTONIC_USEC=\(microseconds)\nSTATUS=reading the configuration again")
    }

    /// Says, the first time, that this program is about to end.
    func stopping() {
        let isFirst = state.withLock { state in
            defer { state.isStopping = true }
            return !state.isStopping
        }
        if isFirst { send("STOPPING=1\nSTATUS=finishing what is under way") }
    }

    /// Says in a line how it is doing.
    func say(_ status: String) { send("STATUS=\(status.shown)") }

    /// Says that it is alive.
    func feed(_ status: String?) { send("WATCHDOG=1" + (status.map { "\nSTATUS=\($0.shown)" } ?? "")) }

    private func send(_ text: String) {
        guard let error = socket.send(text) else { return }
        let isFirst = state.withLock { state in
            defer { state.hasComplained = true }
            return !state.hasComplained
        }
        if isFirst { console.warning("NOTIFY_SOCKET takes nothing: \(String(cString: strerror(error)))") }
    }
}
