import Foundation
import Pipeline
import PipelineComponents

/// Writes lengths to a text file, one per line: an example of a custom sink.
public enum Ruler: SinkComponent {
    public struct Options: ComponentOptions {
        @Option("File to write. An existing file is overwritten.", isRequired: true)
        public var path = OutputPath("")

        public init() {}
    }

    public static let manifest = Manifest(
        name: "ruler",
        summary: "Writes lengths to a text file, one per line",
        details: "Each line contains the time in seconds, the label and the length.",
        example: """
            version: 1
            sources:
              - spirals: { count: 3 }
            stages:
              - measure_length
            sinks:
              - ruler: { path: lengths.txt }
            """)

    public static func accepts(_ options: Options) -> Acceptance { .one(of: [PortType(Length.self)]) }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) -> any Sink {
        RulerSink(path: options.path.path)
    }
}

/// The sink that ``Ruler`` creates.
struct RulerSink: Sink {
    let path: String
    private var file: FileHandle?

    init(path: String) { self.path = path }

    mutating func open(_ context: SinkContext) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forWritingAtPath: path)
        else { throw PipelineError.environment("ruler.unwritable", "\(path) cannot be written") }
        file = handle
    }

    mutating func write(_ frame: Frame<Length>) throws {
        let line = "\(frame.timestamp)  \(frame.payload.label ?? "")  \(frame.payload.value)\n"
        do { try file?.write(contentsOf: Data(line.utf8)) } catch {
            throw PipelineError.environment("ruler.unwritable", "\(path) cannot be written: \(error)")
        }
    }

    mutating func close() throws { try file?.close() }
}
