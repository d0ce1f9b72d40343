import Pipeline
import PipelineComponents

/// What the sinks that draw have in common.
public struct DrawingOptions: ComponentOptions {
    /// How figures become pictures.
    public enum Output: String, OptionChoice {
        /// One growing drawing: everything where it lies.
        case drawing
        /// A contact sheet: every figure in a cell of its own.
        case sheet
        /// A file for every figure.
        case frames
    }

    /// The file; with `{n}` in it for `frames`.
    public var path = OutputPath("")
    /// How figures become pictures.
    public var output = Output.drawing
    /// On what is drawn.
    public var theme = Theme.light
    /// The longest side of a drawing or the side of a cell.
    public var size: Int?
    /// How many cells stand side by side.
    public var columns: Int?
    /// Whether figures are named.
    public var labels = true
    /// The most figures.
    public var limit = 1000
    /// How often a growing drawing is written.
    public var refreshMs = 500.0
    /// What becomes of a file that is already there.
    public var ifExists = IfPictureExists.fail
    /// Whether it is an error when nothing was drawn; nothing is written then. For commands: the picture of a pipeline that has
    /// seen nothing is empty.
    package var mustShow = false

    /// All defaults.
    public init() {}

    /// The declared options.
    public static var options: [Option<DrawingOptions>] {
        Option(
            "path", \.path, "The file to write; for output frames with {n} where the number of the picture stands.",
            isRequired: true, example: "drawing.svg")
        Option(
            "output", \.output,
            "drawing puts everything where it lies on one picture, which grows; sheet gives every stroke or frame a labelled cell; frames gives each a file."
        )
        Option("theme", \.theme, "Dark ink on white, or light ink on a dark ground.")
        Option(
            "size", \.size, in: 16...8192,
            "The longest side of a drawing (800 unless given), or the side of a cell of a sheet (160 unless given), in units of the picture.",
            example: "800")
        Option(
            "columns", \.columns, in: 1...1000,
            "How many cells of a sheet stand side by side; chosen by their number unless given.",
            example: "6")
        Option(
            "labels", \.labels,
            "Whether figures are named by label, category or hand; on a sheet and in frames also by stream.")
        Option(
            "limit", \.limit, in: 1...1_000_000,
            "The most figures; the frames of those that come after are dropped as drawing_full.")
        Option(
            "refresh_ms", \.refreshMs, in: 10...3_600_000,
            "How often at most a growing drawing is written while the run goes on; it is written at the end in any case."
        )
        Option(
            "if_exists", \.ifExists,
            "What becomes of a file that is already there; with fail the run does not begin (exit code 3).")
    }

    /// Only pictures of their own need numbers, and only a sheet has columns.
    public func check(_ node: ConfigNode, _ context: DecodingContext) {
        let isNumbered = path.path.contains("{n}")
        if isNumbered, !fileName(path.path).contains("{n}") {
            context.findings.error(
                "option.conflict", "{n} stands in the name of a folder of \"path\"",
                at: (node["path"] ?? node).span, path: context.path + ".path", help: "put {n} into the file's name")
        }
        if output == .frames, !isNumbered, !path.path.isEmpty {
            context.findings.error(
                "option.conflict", "output frames writes many files, and \"path\" names one",
                at: (node["path"] ?? node).span, path: context.path + ".path",
                help: "put {n} where the number goes: stroke-{n}.svg")
        }
        if output != .frames, isNumbered {
            context.findings.error(
                "option.conflict", "{n} in \"path\" means nothing for output \(output.rawValue)",
                at: (node["path"] ?? node).span, path: context.path + ".path",
                help: "add output: frames, or leave {n} out")
        }
        if output != .sheet, columns != nil {
            context.findings.error(
                "option.conflict", "\"columns\" means nothing for output \(output.rawValue)",
                at: (node["columns"] ?? node).span, path: context.path + ".columns",
                help: "add output: sheet, or leave columns out")
        }
    }

    /// How figures are put on pictures.
    var layout: Layout {
        Layout(
            palette: Palette(theme), size: Double(size ?? (output == .sheet ? 160 : 800)), columns: columns,
            hasLabels: labels)
    }
}

/// What becomes of a picture's file that is already there.
public enum IfPictureExists: String, OptionChoice {
    /// The run does not begin.
    case fail
    /// It is replaced.
    case overwrite
}

/// How a picture is written.
enum PictureFormat: String, Sendable {
    case svg
    case png

    /// Reports a path whose end promises another format.
    func check(_ path: String, _ context: BuildContext) {
        let ending = fileExtension(path)
        guard !ending.isEmpty, ending != rawValue else { return }
        context.report(
            .error, "option.conflict", "\"path\" ends in .\(ending), but what is written is \(rawValue.uppercased())",
            option: "path",
            help: ending == "svg" || ending == "png"
                ? "use the sink \(ending), or end the name in .\(rawValue)" : "end the name in .\(rawValue)")
    }

    /// The bytes of a picture.
    ///
    /// - Throws: An environment error when it cannot be drawn, or `isCancelled` says that it is wanted no more.
    func bytes(_ picture: Picture, isCancelled: () -> Bool = { false }) throws -> [UInt8] {
        switch self {
        case .svg: picture.svg()
        // Two pixels to the unit, for screens of high resolution.
        case .png: try picture.png(scale: 2, isCancelled: isCancelled)
        }
    }
}
