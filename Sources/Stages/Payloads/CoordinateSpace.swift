import Pipeline
import PipelineComponents

/// What coordinates count, as the attribute `space` of port types and messages names it.
public enum CoordinateSpace: String, OptionChoice {
    /// From 0 to 1 over the width and the height of an image; z in the unit of x.
    case normalized
    /// Pixels of an image; z too.
    case pixels
    /// Metres about the middle of what is shown.
    case world
    /// Anything else.
    case unitless
}

/// Where y grows to, as the attribute `y` of port types names it.
public enum VerticalDirection: String, OptionChoice {
    /// The origin is the lower left corner, as in Apple's Vision.
    case up
    /// The origin is the upper left corner, as in MediaPipe.
    case down

    /// The other one.
    var opposite: VerticalDirection { self == .up ? .down : .up }
}

extension PortType {
    /// The space of the coordinates, where it is known.
    var space: CoordinateSpace? { attributes["space"].flatMap { CoordinateSpace(rawValue: $0) } }

    /// Where y grows to, where that is known.
    package var verticalDirection: VerticalDirection? { attributes["y"].flatMap { VerticalDirection(rawValue: $0) } }
}
