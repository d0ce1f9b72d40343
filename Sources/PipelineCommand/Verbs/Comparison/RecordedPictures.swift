import Connectors
import Pipeline
import PipelineComponents
import Stages
import Synchronization

/// Draws what recordings contain at given moments: the last frame of the moment's stream at or before the moment's time. If that
/// frame is a piece of a stroke, the drawing shows all pieces of the stroke up to that frame.
enum RecordedPictures {
    /// Returns a picture for each moment, as SVG; `nil` where nothing can be drawn.
    static func svg(of moments: [FoundResult.Moment], in recordings: [String]) async throws -> [String?] {
        var pictures = [String?](repeating: nil, count: moments.count)
        let together = FoundResult.Moment.recording(recordings)
        for path in recordings {
            let places = moments.indices.filter {
                [path, together].contains(moments[$0].recording) && pictures[$0] == nil
            }
            guard !places.isEmpty else { continue }
            var file = FileSource.Options()
            file.path = FilePath(path)
            file.kind = try PayloadKind.recorded(in: path)
            let source = FileSource.make(file, BuildContext(id: "recording"), nil)
            let drawn = Lock<[Int: String]>([:])
            let maker = Maker(moments: places.map { ($0, moments[$0]) }) { place, svg in
                drawn.withLock { $0[place] = svg }
            }
            let plan = Plan(
                name: path,
                nodes: [
                    Plan.Node(
                        id: "recording", component: FileSource.manifest.name,
                        body: .source(source, SourceRules.ofRecordings), output: source.output,
                        onError: .skip),
                    Plan.Node(
                        id: "pictures", component: "pictures", body: .sink(try maker.sink(for: source.output)),
                        input: source.output, edges: [Plan.Edge(from: 0)]),
                ])
            _ = await Run(plan, options: Run.Options()).finished()
            for (place, svg) in drawn.withLock({ $0 }) { pictures[place] = svg }
        }
        return pictures
    }

    private struct Maker: SinkMaker {
        let moments: [(place: Int, moment: FoundResult.Moment)]
        let draw: @Sendable (Int, String) -> Void

        func make<P: WireEncodable>(_ payload: P.Type) -> CompiledSink<P> {
            CompiledSink(PickingSink<P>(moments: moments, draw: draw))
        }
    }

    private struct PickingSink<P: WireEncodable>: Sink {
        typealias Input = P
        let moments: [(place: Int, moment: FoundResult.Moment)]
        let draw: @Sendable (Int, String) -> Void
        private var frames: [Int: [Frame<P>]] = [:]

        init(moments: [(place: Int, moment: FoundResult.Moment)], draw: @escaping @Sendable (Int, String) -> Void) {
            (self.moments, self.draw) = (moments, draw)
        }

        mutating func write(_ frame: Frame<P>) {
            // The pieces of a stroke are drawn together. The first piece of a stroke replaces the pieces of earlier strokes.
            let phase = (frame.payload as? Points)?.phase
            for (place, moment) in moments
            where frame.stream.name == moment.stream && frame.timestamp.rawValue <= moment.time {
                if phase == nil || phase == .begin { frames[place] = [] }
                frames[place, default: []].append(frame)
            }
        }

        mutating func close() async throws {
            for (place, frames) in frames {
                if let svg = FramePicture.svg(of: frames, side: 160) { draw(place, svg) }
            }
        }
    }
}
