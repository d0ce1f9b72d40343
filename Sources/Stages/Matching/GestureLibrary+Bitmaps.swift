import Pipeline

extension GestureLibrary {
    /// Adds bitmaps to the gestures that their labels name. The kind of these gestures becomes `bitmap`.
    ///
    /// If a bitmap contains the stroke that it was rasterized from, the stroke is stored. Otherwise the 64 bits are stored, each
    /// distinct bitmap once.
    ///
    /// - Parameters:
    ///   - frames: The bitmaps.
    ///   - name: The gesture to add all bitmaps to; `nil` to use their labels.
    /// - Throws: A frame error for a label that no gesture can have; an environment error for a gesture that has samples of an
    ///   incompatible kind. It names the stream and the time of the bitmap.
    @discardableResult
    public mutating func importBitmaps(
        from frames: some Sequence<Frame<Bitmap>>, as name: String? = nil
    ) throws(PipelineError) -> ImportCounts {
        var counts = ImportCounts()
        var known: [Int: Set<UInt64>] = [:]
        for frame in frames {
            guard let name = name ?? frame.payload.label, !name.isEmpty else {
                counts.unlabeled += 1
                continue
            }
            do throws(PipelineError) {
                try check(.bitmap, goesWith: name)
            } catch {
                throw error.located(in: "\(frame.stream.name) at \(frame.timestamp)")
            }
            if case .stroke(var stroke)? = frame.payload.subject {
                // The label is redundant: it is the name of the gesture.
                stroke.label = nil
                add(stroke, to: name, kind: .bitmap)
                counts.imported += 1
                continue
            }
            let index = index(of: name, .bitmap)
            if known[index, default: Set(gestures[index].patterns)].insert(frame.payload.bits).inserted {
                gestures[index].patterns.append(frame.payload.bits)
                counts.imported += 1
            } else {
                counts.duplicates += 1
            }
        }
        return counts
    }
}
