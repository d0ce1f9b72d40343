// swift-tools-version: 6.2
import PackageDescription

// Every C library is reached through one target of its own. The module maps, and CDeferred, name the libraries, so that no
// pkg-config call (and no warning of one) is part of a build; brew and apt both put the headers where clang looks.
let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "pipeline",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Pipeline", targets: ["Pipeline"]),
        .library(name: "PipelineComponents", targets: ["PipelineComponents"]),
        .library(name: "PipelineConfiguration", targets: ["PipelineConfiguration"]),
        .library(name: "Stages", targets: ["Stages"]),
        .library(name: "Connectors", targets: ["Connectors"]),
        .library(name: "MCAP", targets: ["MCAP"]),
        .library(name: "PipelineTesting", targets: ["PipelineTesting"]),
        .library(name: "PipelineServer", targets: ["PipelineServer"]),
        .library(name: "PipelineCommand", targets: ["PipelineCommand"]),
        .executable(name: "pipectl", targets: ["pipectl"]),
    ],
    targets: [
        // Floor 0: one C library each.
        .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
        .systemLibrary(name: "CZMQ", providers: [.apt(["libzmq3-dev"]), .brew(["zeromq"])]),
        .systemLibrary(name: "CKafka", providers: [.apt(["librdkafka-dev"]), .brew(["librdkafka"])]),
        .systemLibrary(name: "CExpat", providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
        .systemLibrary(name: "CCairo", providers: [.apt(["libcairo2-dev"]), .brew(["cairo"])]),
        .systemLibrary(name: "CZstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .systemLibrary(name: "CLZ4", providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(name: "CSodium", providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
        .systemLibrary(name: "CWebSockets", providers: [.apt(["libwebsockets-dev"]), .brew(["libwebsockets"])]),
        .target(name: "CMsgPack"),
        // On Linux, it loads libraries that most runs do not need, because linking to them would slow every start.
        .target(
            name: "CDeferred", publicHeadersPath: ".",
            linkerSettings: ["cairo", "rdkafka", "websockets", "zmq"].map {
                .linkedLibrary($0, .when(platforms: [.macOS, .iOS]))
            }),
        .target(name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson")]),
        .target(name: "CKernels"),

        // Floor 0: a file format that knows nothing of pipelines.
        .target(name: "MCAP", dependencies: ["CZstd", "CLZ4", "CZlib"], swiftSettings: swiftSettings),

        // Floor 1: the engine, and the descriptions of its components. Neither knows YAML.
        .target(name: "Pipeline", swiftSettings: swiftSettings),
        .target(name: "PipelineComponents", dependencies: ["Pipeline"], swiftSettings: swiftSettings),

        // Floor 2: payloads and stages, whose only library is the project's own kernels; and pipelines as YAML.
        .target(
            name: "Stages", dependencies: ["Pipeline", "PipelineComponents", "CKernels"], swiftSettings: swiftSettings),
        .target(
            name: "PipelineConfiguration", dependencies: ["Pipeline", "PipelineComponents", "CYAML"],
            swiftSettings: swiftSettings),

        // Floor 3: input and output.
        .target(
            name: "Connectors",
            dependencies: [
                "Pipeline", "PipelineComponents", "PipelineConfiguration", "Stages", "MCAP", "CZMQ", "CExpat", "CCairo",
                "CSimdjson", "CMsgPack", "CZstd", "CZlib", "CSodium", "CKafka", "CDeferred",
            ],
            swiftSettings: swiftSettings),

        // Floor 4: an HTTP server for a run.
        .target(
            name: "PipelineServer",
            dependencies: [
                "Pipeline", "PipelineComponents", "PipelineConfiguration", "Stages", "Connectors", "CWebSockets",
                "CDeferred",
            ],
            resources: [.embedInCode("Page")], swiftSettings: swiftSettings),

        // Floor 4: the command line, for any registry of components. Floor 5: the program, with the project's components.
        .target(
            name: "PipelineCommand",
            dependencies: [
                "Pipeline", "PipelineComponents", "PipelineConfiguration", "Stages", "Connectors", "MCAP",
                "PipelineServer",
                // To say which versions are loaded.
                "CZMQ", "CYAML", "CExpat", "CCairo", "CSimdjson", "CMsgPack", "CZstd", "CLZ4", "CZlib", "CSodium",
                "CWebSockets", "CKafka",
            ],
            swiftSettings: swiftSettings),
        .executableTarget(name: "pipectl", dependencies: ["PipelineCommand"], swiftSettings: swiftSettings),

        // Beside them, for tests.
        .target(
            name: "PipelineTesting", dependencies: ["Pipeline", "PipelineComponents", "PipelineConfiguration"],
            swiftSettings: swiftSettings),

        // A cluster of mock brokers, for tests.
        .executableTarget(
            name: "kafka-cluster", dependencies: ["CKafka"], path: "Tests/KafkaCluster",
            linkerSettings: [.linkedLibrary("rdkafka")]),

        // What `make bench` measures.
        .executableTarget(
            name: "bench",
            dependencies: [
                "Pipeline", "PipelineComponents", "PipelineConfiguration", "Stages", "Connectors", "PipelineTesting",
                "MCAP",
            ],
            path: "Benchmarks/bench", swiftSettings: swiftSettings),

        .testTarget(name: "MCAPTests", dependencies: ["MCAP"], swiftSettings: swiftSettings),
        .testTarget(
            name: "PipelineTests",
            dependencies: ["Pipeline", "PipelineComponents", "PipelineConfiguration", "PipelineTesting"],
            exclude: ["Diagnostics"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "StagesTests",
            dependencies: [
                "Pipeline", "PipelineComponents", "PipelineConfiguration", "Stages", "Connectors", "PipelineTesting",
                "MCAP",
                "CZMQ", "CCairo",
            ],
            exclude: ["Traces"],
            swiftSettings: swiftSettings,
            // For functions that only tests call.
            linkerSettings: [.linkedLibrary("cairo"), .linkedLibrary("zmq")]),
        .testTarget(
            name: "PipelineServerTests",
            dependencies: [
                "Pipeline", "PipelineComponents", "PipelineConfiguration", "Stages", "Connectors", "PipelineServer",
                "PipelineTesting",
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "pipectlTests",
            dependencies: [
                "Pipeline", "PipelineComponents", "PipelineConfiguration", "Stages", "Connectors", "PipelineTesting",
                "PipelineCommand", "pipectl", "MCAP", "kafka-cluster",
            ],
            swiftSettings: swiftSettings),
    ],
    cxxLanguageStandard: .cxx17
)
