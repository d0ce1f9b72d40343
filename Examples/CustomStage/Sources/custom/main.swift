import Connectors
import PipelineCommand
import PipelineComponents
import Thinning

// All components that ship with the project, and those of this package.
var registry = Registry.standard
registry.add(payload: Length.self)
registry.add(Spirals.self)
registry.add(Thin.self)
registry.add(MeasureLength.self)
registry.add(Ruler.self)

// The explanation that `custom explain thin.not_finite` shows.
let codes = Explanation.Family(
    "Thinning",
    [
        Explanation(
            "thin.not_finite", [.frame], "A sample of a stroke is not a finite number.",
            cause: "The distance to such a sample is not defined. Devices send such samples when they lose a pen.",
            output: "error[thin.not_finite]: thin: a sample is not finite",
            remedy: "Correct the sender, or skip such strokes with `on_error: skip`.")
    ])

CommandLineTool("custom", version: "1.0.0", registry: registry, explanations: [codes]).main()
