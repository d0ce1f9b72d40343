/// The state that the nodes of one segment share: their flags, their reports, and the settings of the run.
final class SegmentContext {
    let monitor: RunMonitor

    /// Whether a node with the policy `fail` has failed. The segment then takes and processes no more frames.
    // Unchecked, because it is used for every frame, by one task at a time.
    @exclusivity(unchecked) var hasFailed = false {
        // A node checks for a failure only if this flag is set.
        didSet { flags.pointee.isTiming = hasFailed || flags.pointee.isTiming }
    }

    /// The flags that every node checks for every frame. They are stored behind a pointer, because a stored property would cost an
    /// exclusivity check each time.
    let flags: UnsafeMutablePointer<SegmentFlags>

    /// Whether a node has changed its request for a wake-up.
    var wakesChanged: Bool {
        get { flags.pointee.wakesChanged }
        set { flags.pointee.wakesChanged = newValue }
    }

    /// The time that the node being timed has spent in nodes downstream, in nanoseconds.
    var timeBelow: Int64 = 0

    /// The number of frames before the next frame that is timed.
    // Unchecked, because it is used for every frame, by one task at a time.
    @exclusivity(unchecked) private var untilTiming = 0

    /// How watermarks travel. An explicit watermark also excludes further frames with exactly its timestamp.
    let watermarks: Watermarks

    /// The number of microseconds by which the output of the last stage may be earlier than the frame being processed.
    var stampsEarlier: Int64 = 0

    /// Requests watermarks for the times that stages wait for; `nil` in a batch run, where time advances with the frames.
    var wakeRequests: WakeRequests?

    /// Whether reports are kept until the worker's turn, so that reports of several workers are sent in order.
    let keepsReports: Bool

    /// The reports kept so far.
    var reports: [NodeReport] = []

    init(monitor: RunMonitor, watermarks: Watermarks = .implied, keepsReports: Bool = false) {
        self.monitor = monitor
        self.watermarks = watermarks
        self.keepsReports = keepsReports
        flags = .allocate(capacity: 1)
        flags.initialize(to: SegmentFlags())
    }

    deinit { flags.deallocate() }

    /// Times no further frames, because their time is simulated.
    func stopTiming() { untilTiming = .max }

    /// Decides whether the next frame is timed.
    @inline(__always)
    func beginFrame() {
        untilTiming -= 1
        flags.pointee.isTiming = untilTiming < 0
        if untilTiming < 0 { untilTiming = 63 }
    }
}
