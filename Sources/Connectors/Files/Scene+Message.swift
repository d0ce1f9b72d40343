import Pipeline

extension Scene {
    /// Returns the topic for the scenes of a stream.
    package static func topic(of stream: String) -> String {
        stream.hasPrefix("/") ? "/scene\(stream)" : "/scene/\(stream)"
    }

    /// Writes the message that shows a frame. In a viewer, the message replaces everything that the stream has shown before. The
    /// message of a frame that cannot be drawn is empty.
    ///
    /// - Parameter time: The frame's time, in nanoseconds since 1970.
    /// - Complexity: O(points shown).
    package mutating func write<P: WireEncodable>(_ frame: Frame<P>, at time: UInt64, into json: inout TextBuffer) {
        clear()
        do { try (frame.payload as? any ScenePayload)?.show(in: &self, of: frame.stream) } catch { clear() }
        json.literal("{\"deletions\":[],\"entities\":[{\"timestamp\":{\"sec\":")
        json.integer(Int64(time / 1_000_000_000))
        json.literal(",\"nsec\":")
        json.integer(Int64(time % 1_000_000_000))
        // All streams share one coordinate frame, so that a viewer shows them together.
        json.literal("},\"frame_id\":\"scene\",\"id\":")
        json.quoted(frame.stream.name)
        json.literal(
            ",\"lifetime\":{\"sec\":0,\"nsec\":0},\"frame_locked\":false,\"metadata\":[],\"arrows\":[],\"cubes\":[],\"spheres\":["
        )
        json.list(balls) { $0.ball($1) }
        json.literal("],\"cylinders\":[],\"lines\":[")
        json.list(lines) { $0.line($1) }
        json.literal("],\"triangles\":[],\"texts\":[")
        json.list(words) { $0.words($1) }
        json.literal("],\"models\":[]}]}")
    }
}

extension TextBuffer {
    fileprivate mutating func list<Element>(_ elements: [Element], _ write: (inout TextBuffer, Element) -> Void) {
        for (number, element) in elements.enumerated() {
            if number > 0 { byte(UInt8(ascii: ",")) }
            write(&self, element)
        }
    }

    fileprivate mutating func line(_ line: Scene.Line) {
        literal("{\"type\":")
        integer(line.form.rawValue)
        pose(at: Scene.Place(x: 0, y: 0, z: 0))
        literal(",\"thickness\":")
        // A line without a thickness of its own is 3 screen pixels wide.
        number(line.thickness ?? 3)
        literal(",\"scale_invariant\":")
        flag(line.thickness == nil)
        literal(",\"points\":[")
        list(line.places) { $0.place($1) }
        literal("],\"color\":")
        color(line.colors.first ?? Picture.Color(0))
        literal(",\"colors\":[")
        list(line.colors) { $0.color($1) }
        literal("],\"indices\":[]}")
    }

    fileprivate mutating func ball(_ ball: Scene.Ball) {
        literal("{\"size\":")
        place(Scene.Place(x: ball.diameter, y: ball.diameter, z: ball.diameter))
        pose(at: ball.center)
        literal(",\"color\":")
        color(ball.color)
        literal("}")
    }

    fileprivate mutating func words(_ words: Scene.Words) {
        literal("{\"text\":")
        quoted(words.text)
        pose(at: words.place)
        literal(",\"billboard\":true,\"font_size\":14,\"scale_invariant\":true,\"color\":")
        color(Palette(.light).note)
        literal("}")
    }

    /// Writes the key `pose` with a position and no rotation.
    private mutating func pose(at place: Scene.Place) {
        literal(",\"pose\":{\"position\":")
        self.place(place)
        literal(",\"orientation\":{\"x\":0,\"y\":0,\"z\":0,\"w\":1}}")
    }

    private mutating func place(_ place: Scene.Place) {
        literal("{\"x\":")
        number(place.x)
        literal(",\"y\":")
        number(place.y)
        literal(",\"z\":")
        number(place.z)
        literal("}")
    }

    private mutating func color(_ color: Picture.Color) {
        literal("{\"r\":")
        share(color.red)
        literal(",\"g\":")
        share(color.green)
        literal(",\"b\":")
        share(color.blue)
        literal(",\"a\":")
        share(color.alpha)
        literal("}")
    }

    /// Writes a number from 0 to 1, rounded to three decimals.
    private mutating func share(_ share: Double) { number((share * 1000).rounded() / 1000) }

    private mutating func flag(_ flag: Bool) { if flag { literal("true") } else { literal("false") } }
}
