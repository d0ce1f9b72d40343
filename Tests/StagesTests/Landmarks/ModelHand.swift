import Foundation

@testable import Stages

/// A right hand made of straight bones and joints, seen from the palm side with the fingers up. x points to the right, y down, z
/// away from the viewer.
struct ModelHand {
    /// How far each finger is bent, from index to little finger: 0 (straight) to 1 (its tip in the palm).
    var bends: [Double]
    /// How far the thumb is extended: 0 (across the fingers) to 1 (straight, to the side).
    var thumb: Double
    /// The lengths of the fingers and the width of the palm, relative to those of an average hand.
    var (fingers, width) = (1.0, 1.0)

    init(_ bends: [Double], thumb: Double) {
        self.bends = bends
        self.thumb = thumb
    }

    static let fist = ModelHand([1, 1, 1, 1], thumb: 0)
    static let open = ModelHand([0, 0, 0, 0], thumb: 1)
    static let four = ModelHand([0, 0, 0, 0], thumb: 0)
    static let pointing = ModelHand([0, 1, 1, 1], thumb: 0)
    static let victory = ModelHand([0, 0, 1, 1], thumb: 0)
    static let iLoveYou = ModelHand([0, 1, 1, 0], thumb: 1)
    static let horns = ModelHand([0, 1, 1, 0], thumb: 0)
    static let three = ModelHand([0, 0, 0, 1], thumb: 0)
    /// A fist with the thumb extended to the side: rotated by 90°, it is a thumb up.
    static let thumb = ModelHand([1, 1, 1, 1], thumb: 1)

    /// The 21 points, with the wrist at the origin.
    var points: [Landmarks.Point] {
        let knuckles = [(0.25, 0.90), (0.05, 0.95), (-0.15, 0.90), (-0.32, 0.78)]
        let lengths = [[0.45, 0.26, 0.22], [0.50, 0.30, 0.22], [0.46, 0.28, 0.22], [0.36, 0.21, 0.20]]
        let spread = [10.0, 1, -7, -16]
        var points = [point(0, 0)]
        let out = [(0.22, 0.16), (0.42, 0.32), (0.66, 0.45), (0.86, 0.56)]
        let across = [(0.22, 0.18, 0.0), (0.36, 0.45, -0.1), (0.22, 0.66, -0.26), (0.04, 0.70, -0.3)]
        for (a, b) in zip(out, across) {
            points.append(
                point(
                    width * (thumb * a.0 + (1 - thumb) * b.0), -(thumb * a.1 + (1 - thumb) * b.1), (1 - thumb) * b.2))
        }
        for finger in 0..<4 {
            var (along, depth) = (0.0, 0.0)
            let knuckle = (width * knuckles[finger].0, knuckles[finger].1)
            let aside = sin(spread[finger] * .pi / 180)
            points.append(point(knuckle.0, -knuckle.1))
            var bend = 0.0
            for (bone, share) in [80.0, 95, 60].enumerated() {
                bend += share * bends[finger] * .pi / 180
                along += fingers * lengths[finger][bone] * cos(bend)
                depth -= fingers * lengths[finger][bone] * sin(bend)
                points.append(point(knuckle.0 + along * aside, -(knuckle.1 + along), depth))
            }
        }
        return points
    }

    /// Returns the hand as seen by a camera, in pixels: rotated in the image and tilted away (both in degrees), and with `scale`
    /// pixels per unit. With `world`, it also has world coordinates.
    func seen(
        turned degrees: Double = 0, tilted: Double = 0, mirrored: Bool = false, scale: Double = 200, world: Bool = false
    ) -> Landmarks {
        func rotate(_ a: Double, _ b: Double, _ degrees: Double) -> (Double, Double) {
            let (c, s) = (cos(degrees * .pi / 180), sin(degrees * .pi / 180))
            return (c * a - s * b, s * a + c * b)
        }
        let placed = points.map { place in
            let (y, z) = rotate(place.y, place.z, tilted)
            let (x, turnedY) = rotate(mirrored ? -place.x : place.x, y, degrees)
            return point(x, turnedY, z)
        }
        return Landmarks(
            space: "pixels", points: placed.map { point(320 + scale * $0.x, 240 + scale * $0.y, scale * $0.z) },
            world: world ? placed.map { point($0.x / 10, $0.y / 10, $0.z / 10) } : [])
    }
}
