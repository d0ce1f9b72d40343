import Connectors
import Pipeline
import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a run needs of the machine it runs on.
enum Machine {
    /// What the program is, and the system.
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

    /// The clocks: what runs measure by, and what recordings and logs are dated with.
    static var clocks: [Finding] {
        [
            monotonic(from: SystemClock().now, to: SystemClock().now), date(.now, after: programDate()),
            synchronization(kernelClockState()),
        ]
    }

    /// Judges two readings of the clock that only goes forward.
    static func monotonic(from first: Int64, to second: Int64) -> Finding {
        second >= first
            ? .good("clock", "goes forward")
            : .error(
                "clock", "doctor.clock", "goes back by \(first - second) ns",
                "this machine, or what it runs in, keeps no time; live runs need that")
    }

    /// Judges what the clock on the wall shows. It should not be earlier than this program was made.
    static func date(_ now: TimeOfDay, after made: TimeOfDay?) -> Finding {
        let help = "set the clock, or let NTP do so: timedatectl set-ntp true"
        guard now.day >= "2025", now.day < "2200" else {
            return .error("date", "doctor.clock", "\(now.text) cannot be right", help)
        }
        guard let made, now.nanoseconds < made.nanoseconds else { return .good("date", now.text) }
        return .warning(
            "date", "doctor.clock", "\(now.text) is before this program was made, on \(made.day)", help)
    }

    /// When the file of this program was written; `nil` where it is not known.
    private static func programDate() -> TimeOfDay? {
        #if os(Linux)
            var info = stat()
            guard stat("/proc/self/exe", &info) == 0 else { return nil }
            return TimeOfDay(nanoseconds: Int64(info.st_mtim.tv_sec) * 1_000_000_000)
        #else
            return nil
        #endif
    }

    /// Judges what the system says of its clock, as ntp_adjtime(3) answers; `nil` where it cannot be asked.
    static func synchronization(_ state: Int32?) -> Finding {
        switch state {
        case .some(0..<5): .good("time", "is synchronized with other clocks")
        case .some:
            .warning(
                "time", "doctor.clock",
                "is not synchronized with other clocks: it will drift, and may jump when it is set",
                "switch on NTP: timedatectl set-ntp true. Where another machine sets this one's clock, nothing is wrong"
            )
        case nil: .good("time", "this system does not tell whether it is synchronized")
        }
    }

    /// What ntp_adjtime(3) answers when it changes nothing. Its header is not among those that Swift imports from the C library.
    private static func kernelClockState() -> Int32? {
        typealias Adjust = @convention(c) (UnsafeMutableRawPointer) -> Int32
        guard let address = dlsym(nil, "ntp_adjtime") else { return nil }
        let adjust = unsafeBitCast(address, to: Adjust.self)
        // A `struct timex` of zeros asks. It has 208 bytes at most.
        return withUnsafeTemporaryAllocation(byteCount: 512, alignment: 16) { memory in
            memory.initializeMemory(as: UInt8.self, repeating: 0)
            let state = memory.baseAddress.map(adjust) ?? -1
            return state < 0 ? nil : state
        }
    }

    /// How many files and connections the process may have open at once.
    static var openFiles: Finding {
        var limit = rlimit()
        #if canImport(Glibc)
            let isKnown = getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0
        #else
            let isKnown = getrlimit(RLIMIT_NOFILE, &limit) == 0
        #endif
        return openFiles(isKnown ? UInt64(limit.rlim_cur) : nil)
    }

    /// Judges the limit of open files; `nil` where it is not known.
    static func openFiles(_ limit: UInt64?) -> Finding {
        guard let limit else { return .good("open files", "their limit is not known") }
        let words = limit > 1 << 40 ? "without limit" : "at most \(ProgressBar.grouped(Int64(limit)))"
        return limit >= 1024
            ? .good("open files", words)
            : .warning(
                "open files", "doctor.open_files", words,
                "raise it with ulimit -n 4096, or LimitNOFILE=4096 in the unit, where many peers connect or {stream} makes many files"
            )
    }
}
