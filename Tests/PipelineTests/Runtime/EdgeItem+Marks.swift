@testable import Pipeline

/// Marks as items, so that tests can list items briefly.
extension EdgeItem {
    static func bound(_ stream: StreamID?, _ time: Timestamp) -> EdgeItem { .mark(.bound(stream, time)) }
    static func receipt(_ stream: StreamID, _ time: Timestamp) -> EdgeItem { .mark(.receipt(stream, time)) }
    static func credit(_ credit: Credit, of stream: StreamID?) -> EdgeItem { .mark(.credit(credit, of: stream)) }
    static func end(_ stream: StreamID) -> EdgeItem { .mark(.end(stream)) }
    static var inputEnd: EdgeItem { .mark(.inputEnd) }
}
