import Connectors
import Pipeline
import Stages

extension Command {
    /// `pipectl gestures remove LIBRARY GESTURE`.
    static let gesturesRemove: Command = Command(
        "remove", "remove a gesture, or one of its samples",
        arguments: [LibraryFile.argument, LibraryFile.gestureArgument], flags: [LibraryFile.sampleFlag.description],
        examples: [
            Example("pipectl gestures remove mine.json star", "Removes a gesture"),
            Example("pipectl gestures remove mine.json star --sample=3", "Removes its third sample"),
        ]
    ) { invocation, console in
        let (path, name) = (invocation.words[0], invocation.words[1])
        var library = try GestureLibrary(readingFrom: path)
        let gesture = try LibraryFile.gesture(name, of: library)
        let change: String
        if let number = invocation[LibraryFile.sampleFlag] {
            let removed = try LibraryFile.only(number, of: gesture)
            for index in library.gestures.indices where library.gestures[index].name == name {
                let place = number - 1 - gesture.samples.count
                if !removed.samples.isEmpty {
                    library.gestures[index].samples.remove(at: number - 1)
                } else if !removed.hands.isEmpty {
                    library.gestures[index].hands.remove(at: place)
                } else {
                    library.gestures[index].patterns.remove(at: place - gesture.hands.count)
                }
            }
            change = "sample \(number) of \(name) removed"
        } else {
            library.remove(name)
            change = "\(name) removed, with \(Counted.text(gesture.sampleCount, "sample"))"
        }
        try library.write(to: path)
        console.say("\(path): \(change)")
        return .done
    }
}
