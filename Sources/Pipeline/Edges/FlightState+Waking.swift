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

    /// Returns whether the producer must be woken. A producer that waits for room is woken after every change, because it is not
    /// recorded which queue must get room.
    mutating func wakesProducer() -> Bool {
        defer { producerWaits = false }
        return producerWaits
    }

    mutating func wakes() -> EdgeWakes { EdgeWakes(consumer: wakesConsumer(), producer: wakesProducer()) }
}
