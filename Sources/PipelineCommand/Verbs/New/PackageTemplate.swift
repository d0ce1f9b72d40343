/// The files of a new package: two stages, a payload, their tests, and a program that has all verbs of `pipectl` and knows these
/// components.
struct PackageTemplate {
    /// The name of the package and of its program.
    let name: String
    /// The location of the package `pipeline`: a path or a URL.
    let dependency: String

    /// The name of the library: `MyStagesKit` for `my-stages`. Because of the suffix, it differs from the program's name even if
    /// case is ignored.
    private var module: String {
        let words = name.split { $0 == "-" || $0 == "_" }
        return words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() + "Kit"
    }

    /// Returns the reason why a name is invalid; `nil` if it is valid.
    static func problem(withName name: String) -> String? {
        let isKnown = name.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
                || $0 == 0x5F
        }
        guard isKnown, let first = name.first, first.isLetter, name.count <= 64 else {
            return "a name has letters, digits, - and _, and begins with a letter"
        }
        return taken.contains(name.lowercased()) ? "a part of Pipeline has this name" : nil
    }

    /// The names of Pipeline's targets, in small letters. Target names must be unique across all packages.
    private static let taken: Set = [
        "pipeline", "pipelinecomponents", "pipelineconfiguration", "stages", "connectors", "mcap", "pipelineserver",
        "pipelinecommand", "pipectl", "pipelinetesting", "kafka-cluster", "bench", "cyaml", "czmq", "ckafka", "cexpat",
        "ccairo", "czstd", "clz4", "czlib", "csodium", "cwebsockets", "cmsgpack", "cdeferred", "csimdjson", "ckernels",
    ]

    /// The text of every file, with its path in the package.
    var files: [(path: String, text: String)] {
        [
            ("Package.swift", manifest), ("README.md", readme), (".gitignore", ".build/\n"),
            ("pipeline.yaml", configuration), ("Sources/\(module)/Mirror.swift", stage),
            ("Sources/\(module)/Extent.swift", payload),
            ("Sources/\(name)/main.swift", program), ("Tests/\(module)Tests/MirrorTests.swift", tests),
        ]
    }

    private var manifest: String {
        let isAddress = dependency.contains("://") || dependency.hasPrefix("git@")
        let package =
            isAddress
            ? ".package(url: \(dependency.debugDescription), branch: \"main\")"
            : ".package(name: \"pipeline\", path: \(dependency.debugDescription))"
        return """
            // swift-tools-version: 6.2
            import PackageDescription

            let package = Package(
                name: "\(name)",
                platforms: [.macOS(.v15)],
                products: [.library(name: "\(module)", targets: ["\(module)"])],
                dependencies: [\(package)],
                targets: [
                    // The stages.
                    .target(
                        name: "\(module)",
                        dependencies: [
                            .product(name: "Pipeline", package: "pipeline"),
                            .product(name: "PipelineComponents", package: "pipeline"),
                            .product(name: "Stages", package: "pipeline"),
                            .product(name: "Connectors", package: "pipeline"),
                        ]),
                    // A program with all verbs of pipectl, for pipelines that use the stages.
                    .executableTarget(
                        name: "\(name)",
                        dependencies: [
                            "\(module)", .product(name: "Connectors", package: "pipeline"),
                            .product(name: "PipelineCommand", package: "pipeline"),
                        ]),
                    .testTarget(
                        name: "\(module)Tests",
                        dependencies: [
                            "\(module)", .product(name: "Connectors", package: "pipeline"),
                            .product(name: "PipelineTesting", package: "pipeline"),
                        ]),
                ],
                cxxLanguageStandard: .cxx17
            )

            """
    }

    private var program: String {
        """
        import Connectors
        import PipelineCommand
        import PipelineComponents
        import \(module)

        // All components that ship with Pipeline, and those of this package.
        var registry = Registry.standard
        registry.add(payload: Extent.self)
        registry.add(Mirror.self)
        registry.add(MeasureExtent.self)

        CommandLineTool("\(name)", version: "0.1.0", registry: registry).main()

        """
    }

    private var tests: String {
        """
        import Connectors
        import PipelineComponents
        import PipelineTesting
        import Stages
        import Testing
        import \(module)

        @Suite("mirror")
        struct MirrorTests {
            @Test("Samples on the left of the axis move to its right")
            func mirror() async {
                let stroke = Stroke(samples: [Sample(x: 1, y: 5), Sample(x: 4, y: 6)])
                let result = await StageHarness(Mirror(axis: 2)).run([stroke])
                #expect(result.payloads.map { $0.samples.map(\\.x) } == [[3, 0]])
            }

            @Test("mirror keeps the promises of every stage")
            func conformance() async {
                let violations = await StageConformance(Mirror(axis: 2), isPure: true).violations()
                #expect(violations.map(String.init(describing:)) == [])
            }

            @Test("Every manifest is complete, and its example is a valid pipeline")
            func manifest() throws {
                var registry = Registry.standard
                registry.add(payload: Extent.self)
                registry.add(Mirror.self)
                registry.add(MeasureExtent.self)
                for name in ["mirror", "measure_extent"] {
                    let entry = try #require(registry.entry(name, .stage))
                    let violations = ManifestConformance.violations(of: entry, in: registry, baseDirectory: ".")
                    #expect(violations.map(String.init(describing:)) == [])
                }
            }
        }

        @Suite("measure_extent")
        struct MeasureExtentTests {
            @Test("The extent of a stroke is the extent of its samples")
            func extent() async {
                let stroke = Stroke(samples: [Sample(x: 1, y: 5), Sample(x: 4, y: 3), Sample(x: 2, y: 4)], label: "hook")
                let result = await StageHarness(MeasureExtent()).run([stroke])
                #expect(result.payloads.map { [$0.width, $0.height] } == [[3, 2]])
                #expect(result.payloads.map(\\.label) == ["hook"])
            }

            @Test("measure_extent keeps the promises of every stage")
            func conformance() async {
                let violations = await StageConformance(MeasureExtent(), isPure: true).violations()
                #expect(violations.map(String.init(describing:)) == [])
            }
        }

        /// The strokes on which the conformance suite runs a stage.
        extension Stroke: @retroactive ConformancePayload {
            public static func typical(_ index: Int) -> Stroke {
                Stroke(samples: (0..<20).map { Sample(x: Double($0 * (index + 1)), y: Double($0 * $0), t: Double($0) * 1000) })
            }

            public static var hostile: [Stroke] {
                [[], [(0, 0)], [(1, 1), (1, 1)], [(.nan, 0), (1, .infinity)], [(1e30, -1e30), (-1e300, 1e300)]].map { places in
                    Stroke(samples: places.map { Sample(x: $0.0, y: $0.1) })
                }
            }
        }

        """
    }

    private var configuration: String {
        """
        version: 1
        name: \(name)
        sources:
          - synthetic: { count: 4, shapes: [check, star] }
        stages:
          - mirror: { axis: 100 }
          - measure_extent
        sinks:
          - stdout: { format: jsonl }

        tests:
          - name: the extent of a stroke is the extent of its samples
            in:
              synthetic:
                - { t_us: 1000, fields: xy, pts: [0, 0, 30, 40], label: line }
            out:
              stdout:
                - { width: 30, height: 40, label: line }

        """
    }

    private var readme: String {
        let commands = [
            ("swift test", "the tests of the stages"),
            ("swift run \(name) run pipeline.yaml", "a pipeline that uses the stages"),
            ("swift run \(name) test pipeline.yaml", "the pipeline's own test"),
            ("swift run \(name) stages mirror", "the description of the stage"),
            ("swift run \(name) stages extent", "the keys of the payload's messages"),
        ]
        let width = commands.map(\.0.count).max() ?? 0
        let lines = commands.map { $0 + String(repeating: " ", count: width - $0.count) + " # " + $1 }
        return """
            # \(name)

            Two stages for pipelines, a payload, and a program that has all verbs of `pipectl` and knows these components.

            ```sh
            \(lines.joined(separator: "\n"))
            ```

            """
    }
}
