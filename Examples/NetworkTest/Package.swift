// swift-tools-version:6.1
import PackageDescription

// An app's own package: it depends on Sightline as any other would, only by path.
let package = Package(
    name: "NetworkTestExample",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "sightline", path: "../..", traits: ["Linux"])],
    targets: [
        .executableTarget(
            name: "NetworkTestExample",
            dependencies: [
                .product(name: "Sightline", package: "sightline"),
                .product(name: "CallQuality", package: "sightline"),
                .product(name: "LibWebRTC", package: "sightline"),
                .product(name: "NIOSignaling", package: "sightline"),
            ],
            path: "Sources")
    ]
)
