/// What the nodes of one segment share beside their counters: how they report, and whether this frame is timed.
final class SegmentContext {
    let monitor: RunMonitor

    /// Set when a node failed whose policy is to fail: the segment takes no more frames, and nothing goes on in it.
    var hasFailed = false {
        // What is timed is looked at more closely.
        didSet { flags.pointee.isTiming = hasFailed || flags.pointee.isTiming }
    }

    /// What every node looks at for every frame. Behind a pointer: stored here, it would cost an exclusivity check each time.
    let flags: UnsafeMutablePointer<SegmentFlags>

    /// Set when some node asked for another wake-up.
    var wakesChanged: Bool {
        get { flags.pointee.wakesChanged }
        set { flags.pointee.wakesChanged = newValue }
    }

    /// Time spent below the node that is being timed, in nanoseconds.
    var timeBelow: Int64 = 0

    private var untilTiming = 0

    /// Whether frames imply nothing of the time of their stream: bounds alone do, and a bound says that no frame at its
    /// very time is still to come.
    let isExplicit: Bool

    /// By how many microseconds the last stage may stamp its output earlier than what it processes.
    var stampsEarlier: Int64 = 0

    /// Whom to ask for the time that a stage waits for; `nil` in a batch run, where time comes with the frames.
    var wakeRequests: WakeRequests?

    /// Whether what nodes tell is kept, because it is a worker's and others may have to tell something first.
    let keepsReports: Bool

    /// What is kept of that.
    var reports: [StageReport] = []

    init(monitor: RunMonitor, isExplicit: Bool = false, keepsReports: Bool = false) {
        self.monitor = monitor
        self.isExplicit = isExplicit
        self.keepsReports = keepsReports
        flags = .allocate(capacity: 1)
        flags.initialize(to: SegmentFlags())
    }

    deinit { flags.deallocate() }

    /// Tells something, in its turn.
    func tell(_ report: StageReport) {
        if keepsReports { reports.append(report) } else { report.tell(monitor) }
    }

    /// Tells of a frame that was dropped, if anybody wants to hear of it.
    func noteDrop(_ frame: FrameHeader, at place: String, _ reason: DropReason) {
        if let record = monitor.record(frame, at: place, reason) { tell(.drop(record)) }
    }

    /// Decides whether the next frame is timed.
    @inline(__always)
    func beginFrame() {
        untilTiming -= 1
        flags.pointee.isTiming = untilTiming < 0
        if untilTiming < 0 { untilTiming = 63 }
    }
}
