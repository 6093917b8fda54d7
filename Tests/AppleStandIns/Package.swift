// swift-tools-version:6.1
import PackageDescription

// Lets AppleWebRTC compile, and its conversions be tested, where there is neither WebRTC.framework nor
// SwiftUI: against modules of the same names that declare what it uses of them. A package of its own, so that
// no one else sees these.
let swift: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "AppleStandIns",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "sightline", path: "../..", traits: [])],
    targets: [
        .target(name: "WebRTC", swiftSettings: swift),
        .target(name: "SwiftUI", swiftSettings: swift),
        // The sources of AppleWebRTC; the name of the target is taken by the package that has them.
        .target(
            name: "AppleOnStandIns",
            dependencies: [
                "WebRTC", "SwiftUI",
                .product(name: "Sightline", package: "sightline"),
                .product(name: "MediaEngine", package: "sightline"),
                .product(name: "CallModel", package: "sightline"),
                .product(name: "CallQuality", package: "sightline"),
                .product(name: "WebRTCStats", package: "sightline"),
            ],
            swiftSettings: swift),
        .testTarget(
            name: "AppleWebRTCTests",
            dependencies: [
                "AppleOnStandIns", "WebRTC", "SwiftUI",
                .product(name: "Sightline", package: "sightline"),
                .product(name: "MediaEngine", package: "sightline"),
                .product(name: "CallModel", package: "sightline"),
                .product(name: "CallQuality", package: "sightline"),
                .product(name: "WebRTCStats", package: "sightline"),
            ],
            swiftSettings: swift),
    ]
)
