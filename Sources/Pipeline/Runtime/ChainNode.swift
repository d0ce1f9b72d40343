/// A stage's node, whatever its types: what the segment needs beside handing frames to the first.
protocol ChainNode: AnyObject {
    /// How far the stream's time has come by what its stage has processed.
    var time: Timestamp { get }

    /// When its stage wants to be woken.
    var wakeTime: Timestamp? { get }

    /// Wakes its stage: the stream's time has passed `wakeTime`.
    func wake(at time: Timestamp)

    /// Ends its stream: the stage emits what it holds back.
    ///
    /// - Parameter bound: How far the stream's time has come; later than the stage's last frame where stages before it let
    ///   frames go.
    func finish(at bound: Timestamp)
}
