import Connectors
import Pipeline

/// The flags and functions that `run --simulate` and `whatif` share.
enum SimulationFlags {
    static let service = Flag<ServiceTime>.parsed(
        "service", placeholder: "ID=TIME", wanted: "a component and a time, as in match=8ms (ns, us, ms or s)",
        repeats: true, "The time that a stage or sink takes for a frame in simulated time; 0 if not given"
    ) { ServiceTime($0) }

    /// Returns a simulation of a pipeline on recordings. Reports the simulation's notes as warnings.
    ///
    /// - Parameter recordings: The recordings, each in the form `[SOURCE=]FILE`.
    static func simulation(
        of plan: Plan, recordings: [String], _ invocation: Invocation, _ console: Console
    ) throws -> Simulation {
        let simulation = try Simulation(
            of: plan, inputs: recordings.map { input($0, plan) },
            serviceTimes: try ServiceTime.byComponent(invocation.all(service)))
        for note in simulation.notes { console.warning(note) }
        return simulation
    }

    /// Returns the file of a recording in the form `[SOURCE=]FILE`.
    static func path(_ recording: String, _ plan: Plan) -> String { input(recording, plan).path }

    /// Parses `[SOURCE=]FILE`. The text before the first equals sign is a source if the plan has a source with that `id`, or if no
    /// file has the whole text as its name.
    static func input(_ text: String, _ plan: Plan) -> Simulation.Input {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return .init(path: text) }
        let source = String(text[..<equals])
        let isSource = plan.nodes.contains { $0.id == source && $0.edges.isEmpty }
        guard isSource || !OutputFile.exists(text) else { return .init(path: text) }
        return .init(source: source, path: String(text[text.index(after: equals)...]))
    }
}
