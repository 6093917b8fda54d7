// swift-tools-version:6.1
import PackageDescription

// Two peers of WebRTC.framework in one process, for a Mac: what stand-ins cannot show. A package of its own, since only a
// Mac can build it.
let package = Package(
    name: "AppleLoopback",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "sightline", path: "../..")],
    targets: [
        .testTarget(
            name: "AppleLoopbackTests",
            dependencies: [
                .product(name: "AppleWebRTC", package: "sightline"),
                .product(name: "MediaEngine", package: "sightline"),
                .product(name: "CallModel", package: "sightline"),
                .product(name: "WebRTCStats", package: "sightline"),
            ])
    ]
)
