// swift-tools-version:6.1
import PackageDescription

// A package of its own: it depends on Sightline as an app would, only by path.
let sightline = ["Sightline", "CallQuality", "LibWebRTC", "NIOSignaling"].map {
    Target.Dependency.product(name: $0, package: "sightline")
}

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "sightline", path: "..", traits: ["Linux"])],
    targets: [
        .executableTarget(
            name: "OwnPeerConnection",
            dependencies: [
                .product(name: "Sightline", package: "sightline"),
                .product(name: "CallQuality", package: "sightline"),
                .product(name: "MediaEngine", package: "sightline"),
                .product(name: "LibWebRTC", package: "sightline"),
            ],
            path: "OwnPeerConnection"),
        .executableTarget(name: "SenderStatistics", dependencies: sightline, path: "SenderStatistics"),
        .executableTarget(name: "Blame", dependencies: sightline, path: "Blame"),
        .executableTarget(name: "SignalBars", dependencies: sightline, path: "SignalBars"),
        .executableTarget(
            name: "RecordAndAnalyse",
            dependencies: sightline + [.product(name: "CallRecording", package: "sightline")],
            path: "RecordAndAnalyse"),
        .executableTarget(name: "NetworkTestExample", dependencies: sightline, path: "NetworkTest"),
    ]
)
