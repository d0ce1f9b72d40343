/// Determines which end of the edge must be woken.
extension FlightState {
    mutating func wake(_ result: Offer) -> Offer {
        var result = result
        result.wakesConsumer = wakesConsumer()
        return result
    }

    mutating func wakesConsumer() -> Bool {
        guard consumerWaits, !released.isEmpty || isFinished else { return false }
        consumerWaits = false
        return true
    }

    /// Wakes a producer that waits for room after every change, because the queue that it waits for is not recorded.
    mutating func wakesProducer() -> Bool {
        defer { producerWaits = false }
        return producerWaits
    }

    mutating func wakes() -> Wakes { Wakes(consumer: wakesConsumer(), producer: wakesProducer()) }
}
