/// A package to begin with: a stage, its tests, and a program with all verbs that knows it.
struct PackageTemplate {
    /// The name of the package and of its program.
    let name: String
    /// Where the package `pipeline` is: a path or an address.
    let dependency: String

    /// The name of the library, as a Swift type is named: `my-stages` is `MyStagesKit`. Never that of the program, whatever the case.
    private var module: String {
        let words = name.split { $0 == "-" || $0 == "_" }
        return words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() + "Kit"
    }

    /// Why a name cannot be one; `nil` where it can.
    static func defect(of name: String) -> String? {
        let isKnown = name.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
                || $0 == 0x5F
        }
        guard isKnown, let first = name.first, first.isLetter, name.count <= 64 else {
            return "a name has letters, digits, - and _, and begins with a letter"
        }
        // Targets of all packages have names of their own.
        let taken = ["pipeline", "stages", "pipelinetesting", "pipelinecommand", "pipectl", "mcap", "bench"]
        return taken.contains(name.lowercased()) ? "a part of Pipeline is called so" : nil
    }

    /// Every file with its path in the package.
    var files: [(path: String, text: String)] {
        [
            ("Package.swift", manifest), ("README.md", readme), (".gitignore", ".build/\n"),
            ("pipeline.yaml", configuration), ("Sources/\(module)/Mirror.swift", stage),
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
                        ]),
                    // A program with all verbs of pipectl, for pipelines that use them.
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

    private var stage: String {
        """
        import Pipeline
        import PipelineComponents
        import Stages

        /// Turns strokes over: what was on the left is on the right. O(samples).
        public struct Mirror: ConfigurableStage {
            public struct Options: ComponentOptions {
                @Option("The x of the mirror line.", in: -1e9...1e9)
                public var axis = 0.0

                public init() {}
            }

            public static let manifest = Manifest(
                name: "mirror",
                summary: "Turns strokes over",
                details: "What was on the left of the axis is on its right.",
                isPure: true,
                example: \"""
                    version: 1
                    sources:
                      - synthetic: { count: 4, shapes: [check] }
                    stages:
                      - mirror: { axis: 100 }
                    sinks:
                      - stdout
                    \""")

            private let axis: Double

            /// Makes the stage as a configuration describes it.
            public init(_ options: Options, _ context: BuildContext) { axis = options.axis }

            /// Makes the stage in Swift.
            public init(axis: Double) { self.axis = Options { $0.axis = axis }.axis }

            /// - Throws: A frame error for a sample that is not finite (`mirror.not_finite`).
            public mutating func process(
                _ stroke: consuming Stroke, _ header: borrowing Header, into emitter: borrowing Emitter<Stroke>
            ) throws {
                for index in stroke.samples.indices {
                    stroke.samples[index].x = 2 * axis - stroke.samples[index].x
                    guard stroke.samples[index].isFinite else {
                        throw PipelineError.frame("mirror.not_finite", "a sample is not finite")
                    }
                }
                emitter.emit(stroke)
            }
        }

        """
    }

    private var program: String {
        """
        import Connectors
        import PipelineCommand
        import PipelineComponents
        import \(module)

        // All that ships with the project, and what is our own.
        var registry = Registry.standard
        registry.add(Mirror.self)

        await CommandLineTool("\(name)", version: "0.1.0", registry: registry).main()

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
            @Test("What is left of the axis is right of it")
            func mirror() async {
                let stroke = Stroke(samples: [Sample(x: 1, y: 5), Sample(x: 4, y: 6)])
                let result = await StageHarness(Mirror(axis: 2)).run([stroke])
                #expect(result.payloads.map { $0.samples.map(\\.x) } == [[3, 0]])
            }

            @Test("It keeps what every stage promises")
            func conformance() async {
                let violations = await StageConformance(Mirror(axis: 2), isPure: true).violations()
                #expect(violations.map(String.init(describing:)) == [])
            }

            @Test("Its manifest is complete, and its example is a valid pipeline")
            func manifest() throws {
                var registry = Registry.standard
                registry.add(Mirror.self)
                let entry = try #require(registry.entry("mirror", .stage))
                let violations = ManifestConformance.violations(of: entry, in: registry, baseDirectory: ".")
                #expect(violations.map(String.init(describing:)) == [])
            }
        }

        /// What the conformance suite runs a stage that takes strokes on.
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
        sinks:
          - stdout

        """
    }

    private var readme: String {
        """
        # \(name)

        A stage for pipelines, and a program with all verbs of `pipectl` that knows it.

        ```sh
        swift test                          # the stage's tests
        swift run \(name) run pipeline.yaml  # a pipeline that uses it
        swift run \(name) stages mirror      # what the stage says of itself
        ```

        """
    }
}
