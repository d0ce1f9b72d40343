/// What came of the frames given to a live recognizer, one result for each frame that was accepted and not dropped later.
///
/// Asking for the next result finishes the one before: until then its credit is taken, and newer frames replace
/// older ones. A reader that stops closes the recognizer.
public struct RecognizerResults<Output: Payload>: AsyncSequence, Sendable {
    public typealias Element = RecognizerResult<Output>
    public typealias Failure = Never

    let results: LiveResults<Output>
    let close: @Sendable () -> Void

    /// Reads the results. Only one iterator may be used.
    public func makeAsyncIterator() -> Iterator { Iterator(reading: Reading(results, close)) }

    /// Reads results.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reading: Reading

        /// The next result, or `nil` when the recognizer has been closed and everything has ended.
        public mutating func next() async -> RecognizerResult<Output>? { await reading.results.next() }
    }

    /// Closes the recognizer when nobody reads any more.
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
