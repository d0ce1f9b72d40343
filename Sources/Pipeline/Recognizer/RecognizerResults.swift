/// The results of a live recognizer: one for each frame that was accepted and not dropped later.
///
/// Requesting the next result finishes the frame of the previous result. Until then, that frame counts as in flight, and waiting
/// frames may be replaced by newer ones. When the iterator is released, the recognizer is closed.
public struct RecognizerResults<Output: Payload>: AsyncSequence, Sendable {
    public typealias Element = RecognizerResult<Output>
    public typealias Failure = Never

    let results: LiveResults<Output>
    let close: @Sendable () -> Void

    /// Returns an iterator over the results. Only one iterator may be used.
    public func makeAsyncIterator() -> Iterator { Iterator(reading: Reading(results, close)) }

    /// An iterator over the results.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reading: Reading

        /// Returns the next result, or `nil` when the recognizer has been closed and all frames have ended.
        public mutating func next() async -> RecognizerResult<Output>? { await reading.results.next() }
    }

    /// An object that closes the recognizer when it is released.
    fileprivate final class Reading {
        let results: LiveResults<Output>
        private let close: @Sendable () -> Void

        init(_ results: LiveResults<Output>, _ close: @escaping @Sendable () -> Void) {
            self.results = results
            self.close = close
        }

        deinit { close() }
    }
}
