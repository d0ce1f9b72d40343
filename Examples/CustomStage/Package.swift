// swift-tools-version: 6.2
import PackageDescription

// A package with stages of your own. In your package, replace the path of the dependency with the URL of the repository.
let package = Package(
    name: "custom-stage",
    platforms: [.macOS(.v15)],
    products: [.library(name: "Thinning", targets: ["Thinning"])],
    dependencies: [.package(name: "pipeline", path: "../..")],
    targets: [
        // The stage.
        .target(
            name: "Thinning",
            dependencies: [
                .product(name: "Pipeline", package: "pipeline"),
                .product(name: "PipelineComponents", package: "pipeline"),
                .product(name: "Stages", package: "pipeline"), .product(name: "Connectors", package: "pipeline"),
            ]),
        // A command-line tool with all verbs of pipectl, for pipelines that use the stage.
        .executableTarget(
            name: "custom",
            dependencies: [
                "Thinning", .product(name: "Connectors", package: "pipeline"),
                .product(name: "PipelineCommand", package: "pipeline"),
            ]),
        // Pipelines in Swift: sequences through stages, frames into a pipeline, results out of it.
        .executableTarget(
            name: "tour",
            dependencies: [
                .product(name: "Pipeline", package: "pipeline"), .product(name: "Stages", package: "pipeline"),
                .product(name: "Connectors", package: "pipeline"),
            ]),
        .testTarget(
            name: "ThinningTests",
            dependencies: [
                "Thinning", .product(name: "Connectors", package: "pipeline"),
                .product(name: "PipelineTesting", package: "pipeline"),
            ]),
    ],
    cxxLanguageStandard: .cxx17
)
