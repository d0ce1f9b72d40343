import Pipeline
import PipelineComponents

/// The unit and origin of coordinates, named by the attribute `space` of port types and messages.
public enum CoordinateSpace: String, OptionChoice {
    /// From 0 to 1 over the width and height of an image, with z in the unit of x.
    case normalized
    /// Pixels of an image, including z.
    case pixels
    /// Meters relative to the center of the object.
    case world
    /// Anything else.
    case unitless
}

/// The direction in which y grows, named by the attribute `y` of port types.
public enum VerticalDirection: String, OptionChoice {
    /// The origin is the lower left corner, as in Apple's Vision.
    case up
    /// The origin is the upper left corner, as in MediaPipe.
    case down

    /// The opposite direction.
    var opposite: VerticalDirection { self == .up ? .down : .up }
}

extension PortType {
    /// The space of the coordinates, if known.
    var space: CoordinateSpace? { attributes["space"].flatMap { CoordinateSpace(rawValue: $0) } }

    /// The direction in which y grows, if known.
    package var verticalDirection: VerticalDirection? { attributes["y"].flatMap { VerticalDirection(rawValue: $0) } }
}
