import CExpat
import Pipeline
import Stages

/// Reads gesture files of the $-family: one `<Gesture Name= Subject=>` with `<Point X= Y= T= Pressure=>`, either directly or in
/// `<Stroke>` elements.
///
/// This is the format of the logs published with $1 (Wobbrock, Wilson, Li 2007) and $N-Protractor (Anthony, Wobbrock 2012). Times
/// are in milliseconds. If the time of a sample goes back, it is replaced by the time of the previous sample. Either all points of a
/// gesture have a time, or none, and so for the pressure.
struct GestureXML {
    /// The content of a file.
    struct Gesture {
        /// The gesture. Its times begin at 0.
        var stroke: Stroke

        /// The number of sample times that went back and were replaced.
        var raisedTimes: Int

        /// The line at which the element begins, counted from 1.
        var line: Int
    }

    /// Reads a whole document.
    ///
    /// - Throws: A frame error located by `line N, column M`. O(bytes).
    static func read(_ document: UnsafeRawBufferPointer) throws(PipelineError) -> Gesture {
        guard let parser = XML_ParserCreate(nil) else {
            throw .environment("memory.exhausted", "no memory for an XML parser")
        }
        defer { XML_ParserFree(parser) }
        let builder = Builder(parser: parser)
        XML_SetUserData(parser, Unmanaged.passUnretained(builder).toOpaque())
        XML_SetElementHandler(
            parser,
            { context, name, attributes in
                guard let context, let name, let attributes else { return }
                Unmanaged<Builder>.fromOpaque(context).takeUnretainedValue().begin(String(cString: name), attributes)
            }, nil)
        // A gesture file declares no entities, so parsing stops at an entity declaration. (Expat's own limits would also stop an
        // entity explosion.)
        XML_SetEntityDeclHandler(parser) { context, _, _, _, _, _, _, _, _ in
            guard let context else { return }
            Unmanaged<Builder>.fromOpaque(context).takeUnretainedValue().refuse("an entity is declared")
        }
        let status = withExtendedLifetime(builder) {
            document.withMemoryRebound(to: CChar.self) {
                XML_Parse(parser, $0.baseAddress, Int32(clamping: $0.count), 1)
            }
        }
        if let error = builder.error { throw error }
        guard status == XML_STATUS_OK, document.count <= Int(Int32.max) else {
            let message = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "not XML"
            throw .frame("decode.syntax", "not XML: \(message)", location: Self.place(parser))
        }
        return try builder.gesture()
    }

    private static func place(_ parser: XML_Parser) -> String {
        "line \(XML_GetCurrentLineNumber(parser)), column \(XML_GetCurrentColumnNumber(parser) + 1)"
    }

    /// Returns the name of a gesture without the sample number at its end: `half_note~08` becomes `half_note`, and `arrow01`
    /// becomes `arrow`. A name of digits only is kept.
    static func label(_ name: String) -> String {
        if let tilde = name.lastIndex(of: "~"), tilde != name.startIndex,
            name[name.index(after: tilde)...].allSatisfy(\.isWholeNumber)
        {
            return String(name[..<tilde])
        }
        guard let last = name.lastIndex(where: { !("0"..."9").contains($0) }) else { return name }
        return String(name[...last])
    }

    /// Collects what the parser finds.
    private final class Builder {
        let parser: XML_Parser
        var error: PipelineError?
        private var label: String?
        private var subject: String?
        private var samples: [Sample] = []
        private var counts: [Int] = []
        /// The line of the gesture's element; `nil` before it.
        private var line: Int?
        private var isGesture: Bool { line != nil }
        private var hasStrokes = false
        private var fields: SampleFields = []
        private var firstTime: Double?
        private var lastTime = 0.0
        private var raisedTimes = 0

        init(parser: XML_Parser) { self.parser = parser }

        /// Stores the error and stops the parser.
        func refuse(_ message: String, _ code: String = "decode.syntax") {
            guard error == nil else { return }
            error = .frame(code, message, location: GestureXML.place(parser))
            XML_StopParser(parser, XML_Bool(0))
        }

        func begin(_ name: String, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>) {
            switch name {
            case "Gesture":
                guard !isGesture else { return refuse("a second gesture in the file", "decode.count") }
                line = Int(clamping: XML_GetCurrentLineNumber(parser))
                forEach(attributes) { key, value in
                    if key == "Name" { label = GestureXML.label(value) }
                    if key == "Subject" { subject = value }
                }
            case "Stroke" where isGesture:
                // Points before the first <Stroke> are a stroke of their own.
                if !hasStrokes, !samples.isEmpty { counts.append(samples.count) }
                hasStrokes = true
                counts.append(0)
            case "Point" where isGesture: point(attributes)
            default:
                if !isGesture { refuse("expected <Gesture>, found <\(name)>", "decode.kind") }
            }
        }

        private func point(_ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>) {
            var (x, y, t, p): (Double?, Double?, Double?, Double?)
            forEach(attributes) { key, text in
                guard ["X", "Y", "T", "Pressure"].contains(key) else { return }
                guard let value = Double(text), value.isFinite else {
                    return refuse("\(key): expected a number, found \"\(text)\"", "decode.type")
                }
                switch key {
                case "X": x = value
                case "Y": y = value
                case "T": t = value
                default: p = value
                }
            }
            guard error == nil else { return }
            guard let x, let y else { return refuse("a point needs X and Y", "decode.missing") }
            if samples.isEmpty {
                if t != nil { fields.insert(.time) }
                if p != nil { fields.insert(.pressure) }
            }
            guard fields.contains(.time) == (t != nil) else {
                return refuse("only some points have T", "decode.missing")
            }
            guard fields.contains(.pressure) == (p != nil) else {
                return refuse("only some points have Pressure", "decode.missing")
            }
            var time = ((t ?? 0) - (firstTime ?? t ?? 0)) * 1000
            if firstTime == nil { firstTime = t }
            if time < lastTime {
                time = lastTime
                raisedTimes += 1
            }
            guard time < 9e15 else { return refuse("T: out of range", "decode.range") }
            lastTime = time
            samples.append(Sample(x: x, y: y, t: time.rounded(), p: p ?? 0))
            if hasStrokes { counts[counts.count - 1] += 1 }
        }

        private func forEach(
            _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>, _ body: (String, String) -> Void
        ) {
            var at = attributes
            while let key = at[0], let value = at[1] {
                body(String(cString: key), String(cString: value))
                at += 2
            }
        }

        func gesture() throws(PipelineError) -> Gesture {
            guard let line else { throw .frame("decode.kind", "no <Gesture> in the file") }
            let strokes = counts.filter { $0 > 0 }
            return Gesture(
                stroke: Stroke(
                    samples: samples, counts: strokes.count > 1 ? strokes : [], start: .zero, fields: fields,
                    label: label, subject: subject),
                raisedTimes: raisedTimes, line: line)
        }
    }
}
