import Foundation
import Pipeline
import Stages
import Thinning

// All that ships with the project, and the stage of our own.
var registry = Registry.standard
registry.add(Thin.self)

let path = CommandLine.arguments.dropFirst().first ?? "thin.yaml"
let plan: Plan
do {
    plan = try Plan(file: path, registry: registry)
} catch {
    print(error)  // what is wrong, with its line and the remedy
    exit(2)
}
for try await frame in try Graph(plan).flow(of: "thin", as: Stroke.self) {
    print("\(frame.timestamp)  \(frame.payload.label ?? "")  \(frame.payload.samples.count) samples")
}
