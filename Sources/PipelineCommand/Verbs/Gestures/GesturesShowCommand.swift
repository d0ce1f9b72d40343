import Connectors
import Pipeline
import Stages

extension Command {
    private static let grid = Flag.toggle(
        "grid", "Draws the 8×8 bitmap that rasterize creates from a sample, with its 64-bit value")
    private static let svg = Flag.text("svg", placeholder: "FILE", "Draws to an SVG file instead")

    /// `pipectl gestures show LIBRARY [GESTURE]`.
    static let gesturesShow: Command = Command(
        "show", "draw the samples of a gesture",
        arguments: [
            LibraryFile.argument,
            Argument("GESTURE", "the name of a gesture; without it, every gesture is shown", arity: .optional),
        ],
        flags: [LibraryFile.sampleFlag.description, grid.description, svg.description],
        examples: [
            Example("pipectl gestures show mine.json star", "Draws every sample of star in the terminal"),
            Example("pipectl gestures show mine.json star --grid", "Draws the bitmaps of its samples"),
            Example("pipectl gestures show mine.json star --svg=star.svg", "Draws its samples to an SVG file"),
        ]
    ) { invocation, console in
        try OutputFile.checkEnding(
            of: invocation[svg], "svg", "end the name in .svg; \"pipectl draw LIBRARY --out=FILE.png\" makes a PNG file"
        )
        let library = try GestureLibrary(readingFrom: invocation.words[0])
        var chosen = library.gestures
        var first = 1
        if let name = invocation.word(1) {
            chosen = [try LibraryFile.gesture(name, of: library)]
            if let number = invocation[LibraryFile.sampleFlag] {
                chosen[0] = try LibraryFile.only(number, of: chosen[0])
                first = number
            }
        } else {
            guard invocation[LibraryFile.sampleFlag] == nil else {
                throw UsageError(
                    "--sample selects a sample of one gesture",
                    help: "name it: pipectl gestures show LIBRARY GESTURE --sample=N")
            }
            for index in chosen.indices where chosen[index].sampleCount > 0 {
                chosen[index] = try LibraryFile.only(1, of: chosen[index])
            }
        }
        if let file = invocation[svg] {
            guard invocation.word(1) != nil else {
                throw UsageError(
                    "--svg draws one gesture", help: "name it: pipectl gestures show LIBRARY GESTURE --svg=FILE")
            }
            try OutputFile.refuse(file, of: svg.description, over: [invocation.words[0]])
            try WholeFile.write(Array(chosen.map { GestureDrawing.svg($0) }.joined().utf8), to: file)
            console.say("\(file) written")
        } else {
            let drawings = LibraryListing.drawings(
                chosen, numbered: first, asGrid: invocation[grid], console.resultStyle)
            try console.writeResult(drawings)
        }
        return .done
    }
}
