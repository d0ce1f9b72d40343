import Pipeline
import Stages

/// Returns a stroke along corners, as a touch screen reports it: ten samples per side, displaced like those of a shaking hand.
func drawn(_ corners: [(x: Double, y: Double)], shaking: Double) -> Stroke {
    var samples: [Sample] = []
    for (from, to) in zip(corners, corners.dropFirst()) {
        for step in 0..<10 {
            let way = Double(step) / 10
            let shake = shaking * Double(step % 3 - 1)
            samples.append(Sample(x: from.x + (to.x - from.x) * way + shake, y: from.y + (to.y - from.y) * way - shake))
        }
    }
    return Stroke(samples: samples)
}

let shapes: KeyValuePairs = [
    "diamond": [(50.0, 0.0), (100.0, 50.0), (50.0, 100.0), (0.0, 50.0), (50.0, 0.0)],
    "zigzag": [(0.0, 0.0), (20.0, 60.0), (40.0, 0.0), (60.0, 60.0), (80.0, 0.0)],
]

// The gestures that the app recognizes, each drawn several times.
var library = GestureLibrary()
for (name, corners) in shapes {
    for shaking in [0, 0.4, 0.8, 1.2] { library.add(drawn(corners, shaking: shaking), to: name) }
}

// Strokes go in, and recognized gestures come out.
let recognizer = try Recognizer(StageChain(try Match.cloud(library)))
for (_, corners) in shapes {
    for recognition in try recognizer.recognize(drawn(corners, shaking: 1)).payloads { print(recognition.best.name) }
}
