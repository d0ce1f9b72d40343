import Pipeline
import PipelineComponents

/// The options that all drawing sinks share.
public struct DrawingOptions: SharedOptions {
    public static let title = "Drawing options"

    /// How figures are distributed over pictures.
    public enum Output: String, OptionChoice {
        /// One growing drawing, in which every figure keeps its position.
        case drawing
        /// A contact sheet, in which every figure has its own cell.
        case sheet
        /// One file for every figure.
        case frames
    }

    @Option(
        "File to write. With output: frames, {n} stands for the number of the picture.", isRequired: true,
        example: "drawing.svg")
    public var path = OutputPath("")

    @Option(
        "drawing puts everything at its position on one growing picture; sheet gives every stroke or frame a labeled cell; frames writes one file for each."
    )
    public var output = Output.drawing

    @Option("Dark ink on white, or light ink on a dark background.")
    public var theme = Theme.light

    @Option(
        "Longest side of a drawing (800 by default), or side of a cell of a sheet (160 by default), in units of the picture.",
        in: 16...8192, example: "800")
    public var size: Int?

    @Option(
        "Number of cells in a row of a sheet; by default, it depends on the number of cells.", in: 1...1000,
        example: "6"
    )
    public var columns: Int?

    @Option(
        "Whether figures are labeled with their label, recognized gesture or hand. With output: sheet or frames, a figure that has none of these is labeled with its stream or topology."
    )
    public var labels = true

    @Option("Largest number of figures. Frames of further figures are dropped as drawing_full.", in: 1...1_000_000)
    public var limit = 1000

    @Option(
        "Minimum time between two writes of a growing drawing. It is always written at the end.",
        in: 10...3_600_000)
    public var refreshMs = 500.0

    @Option("What happens to an existing file. With fail, the run does not begin (exit code 3).")
    public var ifExists = IfPictureExists.fail

    /// Whether the sink fails, and writes no file, if there is nothing to draw. `pipectl draw` sets this to `true`. In a pipeline,
    /// it is `false`, and input without frames results in an empty picture.
    package var mustShow = false

    public init() {}

    /// Reports options that conflict: `{n}` must be in the path's file name for output `frames`, and nowhere for other outputs.
    /// `columns` requires output `sheet`.
    public func check(_ node: ConfigNode, _ context: DecodingContext) {
        let isNumbered = path.path.contains("{n}")
        if ifExists == .fail { context.noteKeepsExisting() }
        if isNumbered, !fileName(path.path).contains("{n}") {
            context.findings.error(
                "option.conflict", "{n} is in the name of a folder of \"path\"",
                at: (node["path"] ?? node).span, path: context.path + ".path", help: "put {n} into the file's name")
        }
        if output == .frames, !isNumbered, !path.path.isEmpty {
            context.findings.error(
                "option.conflict", "output: frames writes many files, but \"path\" names only one",
                at: (node["path"] ?? node).span, path: context.path + ".path",
                help: "put {n} where the number goes: stroke-{n}.svg")
        }
        if output != .frames, isNumbered {
            context.findings.error(
                "option.conflict", "{n} in \"path\" has no effect for output: \(output.rawValue)",
                at: (node["path"] ?? node).span, path: context.path + ".path",
                help: "add output: frames, or leave {n} out")
        }
        if output != .sheet, columns != nil {
            context.findings.error(
                "option.conflict", "\"columns\" has no effect for output: \(output.rawValue)",
                at: (node["columns"] ?? node).span, path: context.path + ".columns",
                help: "add output: sheet, or leave columns out")
        }
    }

    /// The layout that these options describe.
    var layout: Layout {
        Layout(
            palette: Palette(theme), size: Double(size ?? (output == .sheet ? 160 : 800)), columns: columns,
            hasLabels: labels)
    }
}

/// What happens to an existing picture file.
public enum IfPictureExists: String, OptionChoice {
    /// The run does not start.
    case fail
    /// The file is replaced.
    case overwrite
}

/// The file format of a picture.
enum PictureFormat: String, Sendable {
    case svg
    case png

    /// Reports a path whose extension belongs to another format.
    func check(_ path: String, _ context: BuildContext) {
        let ending = fileExtension(path)
        guard !ending.isEmpty, ending != rawValue else { return }
        context.report(
            .error, "option.conflict",
            "\"path\" ends in .\(ending), but the file is written as \(rawValue.uppercased())",
            option: "path",
            help: ending == "svg" || ending == "png"
                ? "use the sink \(ending), or end the name in .\(rawValue)" : "end the name in .\(rawValue)")
    }

    /// Returns the encoded picture.
    ///
    /// - Parameter isCancelled: Returns whether the picture is no longer needed.
    /// - Throws: An environment error if the picture cannot be drawn, or if it is no longer needed.
    func bytes(_ picture: Picture, isCancelled: () -> Bool = { false }) throws -> [UInt8] {
        switch self {
        case .svg: picture.svg()
        // Two pixels per unit, for high-resolution screens.
        case .png: try picture.png(scale: 2, isCancelled: isCancelled)
        }
    }
}
