/// Which of the two ends of the edge must be woken.
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

    /// A producer that waits for room checks again after every change. It is not recorded which line it waits for.
    mutating func wakesProducer() -> Bool {
        defer { producerWaits = false }
        return producerWaits
    }

    mutating func wakes() -> Wakes { Wakes(consumer: wakesConsumer(), producer: wakesProducer()) }
}
