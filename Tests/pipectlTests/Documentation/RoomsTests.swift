import Foundation
import Testing

/// The rules in `CONTRIBUTING.md` for the folders below `Sources`.
@Suite("Folders and imports of the sources")
struct RoomsTests {
    /// A source file: the types that it declares, and the types that it mentions.
    private struct SourceFile {
        let path: String
        /// The types that other files may name.
        private(set) var declared: Set<String> = []
        /// All declared types, including nested ones.
        private(set) var own: Set<String> = []
        private(set) var named: Set<String> = []

        var folder: String { path.split(separator: "/").dropFirst().dropLast().joined(separator: "/") }
        var module: Substring { path.split(separator: "/")[1] }

        init(_ path: String, _ text: String) {
            self.path = path
            var isBehindKeyword = false
            for word in Words(text) {
                if isBehindKeyword {
                    own.insert(word.text)
                    if word.isAtMargin { declared.insert(word.text) }
                } else if word.text.first?.isUppercase == true, !word.isMember {
                    named.insert(word.text)
                }
                isBehindKeyword = Self.keywords.contains(word.text)
            }
        }

        private static let keywords: Set = [
            "struct", "class", "enum", "protocol", "actor", "typealias", "associatedtype",
        ]
    }

    /// The words of a program, without those in comments and strings.
    private struct Words: Sequence {
        let text: String

        init(_ text: String) { self.text = text }

        struct Word {
            let text: String
            /// Whether the word follows a dot.
            let isMember: Bool
            /// Whether its line is not indented.
            let isAtMargin: Bool
        }

        func makeIterator() -> IndexingIterator<[Word]> { all.makeIterator() }

        private var all: [Word] {
            let bytes = Array(text.utf8)
            var words: [Word] = []
            var (place, isAtMargin) = (0, true)
            func has(_ text: StaticString, at place: Int) -> Bool {
                place + text.utf8CodeUnitCount <= bytes.count
                    && (0..<text.utf8CodeUnitCount).allSatisfy { bytes[place + $0] == text.utf8Start[$0] }
            }
            func skip(to end: StaticString, from start: Int) -> Int {
                var place = start
                while place < bytes.count, !has(end, at: place) { place += 1 }
                return place
            }
            while place < bytes.count {
                let byte = bytes[place]
                if byte == UInt8(ascii: "\n") {
                    place += 1
                    isAtMargin = place < bytes.count && bytes[place] > UInt8(ascii: " ")
                } else if has("//", at: place) {
                    place = skip(to: "\n", from: place)
                } else if has("\"\"\"", at: place) {
                    place = skip(to: "\"\"\"", from: place + 3) + 3
                } else if byte == UInt8(ascii: "\"") {
                    place += 1
                    while place < bytes.count, bytes[place] != UInt8(ascii: "\""), bytes[place] != UInt8(ascii: "\n") {
                        place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
                    }
                    place += 1
                } else if Self.isInWord(byte) {
                    let start = place
                    while place < bytes.count, Self.isInWord(bytes[place]) { place += 1 }
                    words.append(
                        Word(
                            text: String(decoding: bytes[start..<place], as: UTF8.self),
                            isMember: start > 0 && bytes[start - 1] == UInt8(ascii: "."), isAtMargin: isAtMargin))
                } else {
                    place += 1
                }
            }
            return words
        }

        private static func isInWord(_ byte: UInt8) -> Bool {
            byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
                || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") || byte == UInt8(ascii: "_")
        }
    }

    /// The modules that the files of each target may import. Foundation is not among them, because it would make the installed
    /// program four times as large. SwiftPM alone would not detect all violations: a target that was built for another one can be
    /// imported without being named in `Package.swift`.
    private static let allowed: [String: Set<String>] = {
        let engine: Set = ["Pipeline", "PipelineComponents"]
        let connectors = engine.union(["PipelineConfiguration", "Stages", "MCAP"])
        return [
            "MCAP": ["CZstd", "CLZ4", "CZlib"],
            "Pipeline": [],
            "PipelineComponents": ["Pipeline"],
            "Stages": engine.union(["CKernels"]),
            "PipelineConfiguration": engine.union(["CYAML"]),
            "Connectors": connectors.union([
                "CZMQ", "CKafka", "CExpat", "CCairo", "CSimdjson", "CMsgPack", "CZstd", "CZlib", "CSodium",
            ]),
            "PipelineServer": connectors.union(["Connectors", "CWebSockets"]),
            // The libraries, for showing which versions are loaded.
            "PipelineCommand": connectors.union([
                "Connectors", "PipelineServer", "CZMQ", "CYAML", "CExpat", "CCairo", "CSimdjson", "CMsgPack", "CZstd",
                "CLZ4", "CZlib", "CSodium", "CWebSockets", "CKafka",
            ]),
            "pipectl": ["PipelineCommand"],
            "PipelineTesting": engine.union(["PipelineConfiguration"]),
        ]
    }()

    /// Returns the modules that a program imports, in any form: `@testable import A`, `public import A`, `import struct A.B`, and
    /// also inside `#if`.
    private static func imports(of text: String) -> [String] {
        let words = Array(Words(text)).map { $0.isMember ? "." : $0.text }
        return words.indices.dropLast().compactMap { index in
            guard words[index] == "import" else { return nil }
            let hasKind = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
                .contains(words[index + 1])
            return hasKind && index + 2 < words.count ? words[index + 2] : words[index + 1]
        }
    }

    @Test("Every import of a program is found, whatever stands before it, and none in comments and strings")
    func foundImports() {
        let text = """
            import A
            @testable import B
            public import C
            @preconcurrency package import D
            import struct E.Part
            #if canImport(F)
                import F.Part
            #endif
            // import X
            let text = "import X" + value.import
            """
        #expect(Self.imports(of: text) == ["A", "B", "C", "D", "E", "F"])
        #expect(Self.imports(of: "let text = \"\"\"\n    import X\n    \"\"\"\nimport G") == ["G"])
    }

    @Test("Every target imports only what it may: Pipeline and Stages need no library except the project's kernels")
    func imports() throws {
        let system: Set = ["Synchronization", "Glibc", "Musl", "Darwin"]
        var targets: Set<String> = []
        for path in Repository.files(below: "Sources", ending: ".swift") {
            let target = String(path.split(separator: "/")[1])
            targets.insert(target)
            for module in Self.imports(of: try Repository.read(path)) {
                let mayImport = system.contains(module) || Self.allowed[target]?.contains(module) == true
                #expect(mayImport, "\(path) imports \(module)")
            }
        }
        #expect(targets == Set(Self.allowed.keys))
    }

    @Test("No folders of the sources depend on each other in a circle")
    func folders() throws {
        let files = try Repository.files(below: "Sources", ending: ".swift").map {
            SourceFile($0, try Repository.read($0))
        }
        #expect(files.count > 500)
        var declared: [String: [Int]] = [:]
        for (index, file) in files.enumerated() {
            for name in file.declared { declared[name, default: []].append(index) }
        }
        var uses: [String: [String: String]] = [:]
        for file in files {
            for name in file.named.subtracting(file.own).sorted() {
                let places = declared[name] ?? []
                // A type of the same module hides one of another module.
                guard let index = places.first(where: { files[$0].module == file.module }) ?? places.first,
                    files[index].folder != file.folder
                else { continue }
                uses[file.folder, default: [:]][files[index].folder] = "\(file.path) names \(name)"
            }
        }
        #expect(uses["Connectors/Files"]?["Connectors/Formats"] != nil)
        // Folders that use none of the remaining folders come first. The folders of a cycle remain.
        var left = Set(uses.keys).union(uses.values.flatMap(\.keys))
        while let free = left.first(where: { uses[$0, default: [:]].keys.allSatisfy { !left.contains($0) } }) {
            left.remove(free)
        }
        let arrows = left.sorted().flatMap { folder in
            uses[folder, default: [:]].filter { left.contains($0.key) }.values.sorted()
        }
        #expect(left.isEmpty, "\(arrows.joined(separator: "\n"))")
    }
}
