// swift-tools-version:6.2
import PackageDescription

// Lets AppleWebRTC compile, and its conversions be tested, where there is neither WebRTC.framework nor
// SwiftUI: against modules of the same names that declare what it uses of them. A package of its own, so that
// no one else sees these.
let swift: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "AppleStandIns",
    platforms: [.macOS(.v13), .iOS(.v16)],
    dependencies: [.package(name: "sightline", path: "../..", traits: [])],
    targets: [
        .target(name: "AVFoundation", dependencies: ["AVFAudio"], swiftSettings: swift),
        .target(name: "AVFAudio", swiftSettings: swift),
        // Of the SDK, what only Apple's systems have.
        .target(name: "VolumeOnStandIns", dependencies: ["AVFAudio"], swiftSettings: swift),
        .target(name: "WebRTC", dependencies: ["AVFoundation"], swiftSettings: swift),
        .target(name: "SwiftUI", swiftSettings: swift),
        // The sources of AppleWebRTC; the name of the target is taken by the package that has them.
        .target(
            name: "AppleOnStandIns",
            dependencies: [
                "WebRTC", "SwiftUI", "AVFoundation",
                .product(name: "Sightline", package: "sightline"),
                .product(name: "MediaEngine", package: "sightline"),
                .product(name: "CallModel", package: "sightline"),
                .product(name: "CallQuality", package: "sightline"),
                .product(name: "WebRTCStats", package: "sightline"),
            ],
            exclude: ["PrivacyInfo.xcprivacy"],
            swiftSettings: swift + [.define("OWN_LOCK")]),
        // The sample app, as it is: what it imports as AppleWebRTC is the target above.
        .executableTarget(
            name: "CallAppOnStandIns",
            dependencies: [
                "AppleOnStandIns", "SwiftUI",
                .product(name: "Sightline", package: "sightline"),
                .product(name: "MediaEngine", package: "sightline"),
                .product(name: "CallQuality", package: "sightline"),
            ],
            exclude: ["README.md"],
            swiftSettings: swift + [.unsafeFlags(["-module-alias", "AppleWebRTC=AppleOnStandIns"])]),
        .testTarget(
            name: "AppleWebRTCTests",
            dependencies: [
                "AppleOnStandIns", "CallAppOnStandIns", "VolumeOnStandIns", "WebRTC", "SwiftUI",
                "AVFoundation",
                .product(name: "Sightline", package: "sightline"),
                .product(name: "MediaEngine", package: "sightline"),
                .product(name: "CallModel", package: "sightline"),
                .product(name: "CallQuality", package: "sightline"),
                .product(name: "WebRTCStats", package: "sightline"),
            ],
            swiftSettings: swift),
    ]
)
