import Connectors
import Pipeline
import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Checks the machine's clocks and limits.
enum Machine {
    /// Returns a finding that describes the program and the system.
    static func build(_ tool: CommandLineTool) -> Finding {
        #if DEBUG
            let kind = "debug"
        #else
            let kind = "release"
        #endif
        var system = utsname()
        uname(&system)
        func text<Field>(_ field: Field) -> String {
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        return .good(
            tool.name,
            "\(tool.version), \(kind), \(text(system.sysname)) \(text(system.release)) \(text(system.machine)), "
                + Counted.text(machineCores, "core"))
    }

    /// The findings about the monotonic clock, by which runs measure time, and about the wall clock, which dates recordings and
    /// logs.
    static var clocks: [Finding] {
        [
            monotonic(from: SystemClock().now, to: SystemClock().now), date(.now, after: programDate()),
            synchronization(kernelClockState()),
        ]
    }

    /// Checks two readings of the monotonic clock.
    static func monotonic(from first: Int64, to second: Int64) -> Finding {
        second >= first
            ? .good("clock", "goes forward")
            : .error(
                "clock", "doctor.clock", "goes back by \(first - second) ns",
                "live runs need a clock that never goes back: repair this machine, or its host if it is virtual")
    }

    /// Checks the wall clock, which should not show a time before the program's file was written.
    static func date(_ now: TimeOfDay, after made: TimeOfDay?) -> Finding {
        let help = "set the clock, or let NTP do so: timedatectl set-ntp true"
        guard now.day >= "2025", now.day < "2200" else {
            return .error("date", "doctor.clock", "\(now.text) cannot be right", help)
        }
        guard let made, now.nanoseconds < made.nanoseconds else { return .good("date", now.text) }
        return .warning(
            "date", "doctor.clock", "\(now.text) is before the day on which this program was built, \(made.day)", help)
    }

    /// Returns the modification time of the program's file; `nil` if unknown.
    private static func programDate() -> TimeOfDay? {
        #if os(Linux)
            var info = stat()
            guard stat("/proc/self/exe", &info) == 0 else { return nil }
            return TimeOfDay(nanoseconds: Int64(info.st_mtim.tv_sec) * 1_000_000_000)
        #else
            return nil
        #endif
    }

    /// Checks the synchronization of the wall clock.
    ///
    /// - Parameter state: The state that ntp_adjtime(3) returned; `nil` if it is not available.
    static func synchronization(_ state: Int32?) -> Finding {
        switch state {
        case .some(0..<5): .good("time", "is synchronized with other clocks")
        case .some:
            .warning(
                "time", "doctor.clock",
                "is not synchronized with other clocks: it will drift, and may jump when it is set",
                "switch on NTP: timedatectl set-ntp true. If the host of a virtual machine sets the clock, nothing is wrong"
            )
        case nil: .good("time", "this system does not tell whether it is synchronized")
        }
    }

    /// Returns the clock state that ntp_adjtime(3) reports, without a change to the clock; `nil` if the function fails or does not
    /// exist. The function is looked up by name because Swift does not import its header.
    private static func kernelClockState() -> Int32? {
        typealias Adjust = @convention(c) (UnsafeMutableRawPointer) -> Int32
        guard let address = dlsym(nil, "ntp_adjtime") else { return nil }
        let adjust = unsafeBitCast(address, to: Adjust.self)
        // A zeroed `struct timex` makes no change. The struct has at most 208 bytes.
        return withUnsafeTemporaryAllocation(byteCount: 512, alignment: 16) { memory in
            memory.initializeMemory(as: UInt8.self, repeating: 0)
            let state = memory.baseAddress.map(adjust) ?? -1
            return state < 0 ? nil : state
        }
    }

    /// The finding about the number of files and connections that the process may have open at once.
    static var openFiles: Finding {
        var limit = rlimit()
        #if canImport(Glibc)
            let isKnown = getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0
        #else
            let isKnown = getrlimit(RLIMIT_NOFILE, &limit) == 0
        #endif
        return openFiles(isKnown ? UInt64(limit.rlim_cur) : nil)
    }

    /// Checks the number of files that may be open at once.
    ///
    /// - Parameter limit: The number; `nil` if unknown.
    static func openFiles(_ limit: UInt64?) -> Finding {
        guard let limit else { return .good("open files", "the limit is not known") }
        let words = limit > 1 << 40 ? "without limit" : "at most \(ProgressBar.grouped(Int64(limit)))"
        return limit >= 1024
            ? .good("open files", words)
            : .warning(
                "open files", "doctor.open_files", words,
                "if many peers connect or {stream} creates many files, raise the limit: ulimit -n 4096, or LimitNOFILE=4096 in the unit"
            )
    }
}
