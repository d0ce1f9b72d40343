import Connectors
import PipelineCommand
import PipelineComponents
import Thinning

// Everything that ships with the project, and our own components.
var registry = Registry.standard
registry.add(payload: Length.self)
registry.add(Spirals.self)
registry.add(Thin.self)
registry.add(MeasureLength.self)
registry.add(Ruler.self)

await CommandLineTool("custom", version: "1.0.0", registry: registry).main()
