// swift-tools-version: 6.2
import PackageDescription

// An app that needs only the engine and the stages. It needs no installed libraries and no configuration.
let package = Package(
    name: "in-app",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "pipeline", path: "../..")],
    targets: [
        .executableTarget(
            name: "in-app",
            dependencies: [
                .product(name: "Pipeline", package: "pipeline"), .product(name: "Stages", package: "pipeline"),
            ])
    ]
)
