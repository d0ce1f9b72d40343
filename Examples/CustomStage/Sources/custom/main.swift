import Pipeline
import Stages
import Thinning

// All that ships with the project, and the stage of our own.
var registry = Registry.standard
registry.add(Thin.self)

let path = CommandLine.arguments.dropFirst().first ?? "thin.yaml"
let loaded = PipelineLoader(registry: registry).load(file: path)
print(DiagnosticRenderer(texts: loaded.texts).render(loaded.diagnostics), terminator: "")

if let plan = loaded.plan {
    let run = Run(plan)
    for try await frame in try run.results(of: "thin", as: Stroke.self) {
        print("\(frame.timestamp)  \(frame.payload.label ?? "")  \(frame.payload.samples.count) samples")
    }
}
