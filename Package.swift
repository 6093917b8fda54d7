// swift-tools-version:6.1
import PackageDescription

// Heavy dependencies hang on traits. An app that only wants the SDK's vocabulary says `traits: []`
// and resolves nothing but this package.
let server: TargetDependencyCondition? = .when(traits: ["Server"])
let linux: TargetDependencyCondition? = .when(traits: ["Linux"])

// Debian's libtgowt was built with these; `DCHECK_ALWAYS_ON` pins the class layouts of its headers
// (an NDEBUG build of ours would disagree with the archive about the size of its objects).
let engineDefines: [CXXSetting] = [
    "WEBRTC_POSIX", "WEBRTC_LINUX", "WEBRTC_USE_H264", "RTC_ENABLE_VP9", "WEBRTC_HAVE_SCTP",
    "RTC_DISABLE_TRACE_EVENTS", "DCHECK_ALWAYS_ON",
].map { .define($0) }

// `third_party/tg_owt` is a link to /usr/include/tg_owt: SwiftPM accepts no absolute search path
// without unsafe flags, and those would bar everyone from depending on this package.
let engineHeaders: [CXXSetting] = [
    .headerSearchPath("../../../third_party/tg_owt"),
    .headerSearchPath("../../../third_party/tg_owt/third_party/libyuv/include"),
    .headerSearchPath("src"),
    // Its headers alone: as a dependency it would come as a module, which C++ is not compiled with here. Swift needs it
    // as one, so what imports CLibWebRTC depends on CLinkModel too.
    .headerSearchPath("../CLinkModel/include"),
]

let engineLibraries: [LinkerSetting] = [
    "tg_owt", "absl_strings", "absl_bad_optional_access", "absl_bad_variant_access",
    "absl_throw_delegate", "ssl", "crypto", "srtp2", "opus", "vpx", "avcodec", "avutil",
].map { .linkedLibrary($0, .when(platforms: [.linux])) }

let swift: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// What apps for Apple's systems are built of has a lock of its own, since Swift's `Mutex` begins with iOS 18 and macOS 15.
let ownLock: [SwiftSetting] = swift + [.define("OWN_LOCK")]

/// What the examples use, as most apps on Linux do; they are compiled as an app is, without our own settings.
let example: [Target.Dependency] = ["Sightline", "CallQuality", "LibWebRTC", "NIOSignaling"]

/// What is fuzzed, or needed to.
let fuzzed: [Target.Dependency] = [
    "WebRTCStats", "CallModel", "CallQuality", "CallRecording", "CallReport",
    "MediaPolicy",
    "SessionWire", "MediaEngine", "RouterWire", "CallHistory", "HistoryWriter", "CallStore", "SessionCore",
    "SessionServer", "NIOSignaling", "CZlib", "Packing",
    .product(name: "Hummingbird", package: "hummingbird", condition: server),
    .product(name: "HTTPTypes", package: "swift-http-types", condition: server),
    .product(name: "NIOCore", package: "swift-nio", condition: server),
    .product(name: "NIOEmbedded", package: "swift-nio", condition: server),
    .product(name: "NIOWebSocket", package: "swift-nio", condition: server),
]

let package = Package(
    name: "sightline",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [
        .library(name: "WebRTCStats", targets: ["WebRTCStats"]),
        .library(name: "CallModel", targets: ["CallModel"]),
        .library(name: "CallQuality", targets: ["CallQuality"]),
        .library(name: "CallRecording", targets: ["CallRecording"]),
        .library(name: "MediaEngine", targets: ["MediaEngine"]),
        .library(name: "Sightline", targets: ["Sightline"]),
        .library(name: "LibWebRTC", targets: ["LibWebRTC"]),
        .library(name: "NIOSignaling", targets: ["NIOSignaling"]),
        .library(name: "AppleWebRTC", targets: ["AppleWebRTC"]),
        .executable(name: "sightline", targets: ["SightlineCLI"]),
        .executable(name: "sightline-analyze", targets: ["sightline-analyze"]),
    ],
    traits: [
        .trait(
            name: "Server", description: "The session server, the media router and the command line tool."),
        .trait(name: "Linux", description: "The SDK's WebSocket and media engine on Linux."),
        .default(enabledTraits: ["Server", "Linux"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.0"),
        .package(url: "https://github.com/apple/swift-crypto", "3.12.0"..<"5.0.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .target(name: "WebRTCStats", path: "Sources/Core/WebRTCStats", swiftSettings: swift),
        .target(name: "CallModel", path: "Sources/Core/CallModel", swiftSettings: swift),
        .target(name: "NetworkEmulation", path: "Sources/Core/NetworkEmulation", swiftSettings: swift),
        .target(
            name: "CallQuality", dependencies: ["CallModel", "WebRTCStats"], path: "Sources/Core/CallQuality",
            swiftSettings: swift),
        .systemLibrary(name: "CZlib", path: "Sources/History/CZlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "Packing", dependencies: ["CZlib"], path: "Sources/Core/Packing", swiftSettings: swift),
        .target(
            name: "CallRecording", dependencies: ["WebRTCStats", "CallQuality", "Packing"],
            path: "Sources/History/CallRecording", swiftSettings: swift),
        .target(
            name: "CallReport", dependencies: ["CallQuality", "WebRTCStats", "CallRecording"],
            path: "Sources/History/CallReport",
            swiftSettings: swift),
        .target(
            name: "MediaPolicy", dependencies: ["CallModel"], path: "Sources/Core/MediaPolicy",
            swiftSettings: swift),
        .target(
            name: "SessionWire",
            dependencies: ["WebRTCStats", "CallModel", "CallQuality", "MediaPolicy"],
            path: "Sources/Core/SessionWire",
            swiftSettings: swift),
        .target(
            name: "MediaEngine", dependencies: ["WebRTCStats", "CallModel", "NetworkEmulation"],
            path: "Sources/Client/MediaEngine",
            swiftSettings: swift),
        .target(name: "CLinkModel", path: "Sources/Client/CLinkModel"),
        .target(
            name: "LinkEmulation", dependencies: ["CLinkModel", "NetworkEmulation"],
            path: "Sources/Client/LinkEmulation", swiftSettings: swift),
        .target(
            name: "CLibWebRTC", path: "Sources/Client/CLibWebRTC",
            cxxSettings: engineDefines + engineHeaders,
            linkerSettings: engineLibraries),
        .target(
            name: "NativeStats", dependencies: ["WebRTCStats", "CLibWebRTC", "CLinkModel"],
            path: "Sources/Client/NativeStats", swiftSettings: swift),
        .target(
            name: "LibWebRTC",
            dependencies: [
                "WebRTCStats", "CallModel", "MediaEngine", "CLinkModel", "LinkEmulation", "CLibWebRTC",
                "NativeStats",
            ],
            path: "Sources/Client/LibWebRTC",
            swiftSettings: swift),
        .target(
            name: "Sightline",
            dependencies: [
                "CallModel", "WebRTCStats", "MediaEngine", "SessionWire", "CallQuality", "MediaPolicy",
            ], path: "Sources/Client/Sightline",
            swiftSettings: ownLock),
        // What needs WebRTC.framework or SwiftUI is there where they are; Docs/apple.md.
        .target(
            name: "AppleWebRTC",
            dependencies: ["Sightline", "MediaEngine", "CallModel", "CallQuality", "WebRTCStats"],
            path: "Sources/Client/AppleWebRTC",
            exclude: ["PrivacyInfo.xcprivacy"],
            swiftSettings: ownLock),
        .target(
            name: "NIOSignaling",
            dependencies: [
                "SessionWire", "Sightline",
                .target(name: "Packing", condition: linux),
                .product(name: "NIOCore", package: "swift-nio", condition: linux),
                .product(name: "NIOPosix", package: "swift-nio", condition: linux),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: linux),
                .product(name: "NIOEmbedded", package: "swift-nio", condition: linux),
                .product(name: "NIOWebSocket", package: "swift-nio", condition: linux),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: linux),
                .product(name: "NIOTLS", package: "swift-nio", condition: linux),
            ], path: "Sources/Client/NIOSignaling",
            swiftSettings: swift),
        .target(
            name: "RouterWire",
            dependencies: ["WebRTCStats", "CallModel", "MediaPolicy", "NetworkEmulation"],
            path: "Sources/Core/RouterWire", swiftSettings: swift),
        .target(
            name: "MediaRouter",
            dependencies: [
                "CallModel", "WebRTCStats", "CLibWebRTC", "CLinkModel", "LinkEmulation", "NativeStats",
                "NetworkEmulation", "RouterWire", "MediaPolicy",
            ], path: "Sources/Server/MediaRouter",
            swiftSettings: swift),
        .target(
            name: "CallHistory", dependencies: ["CallModel", "SessionWire"],
            path: "Sources/Server/CallHistory", swiftSettings: swift),
        .target(
            name: "SessionCore",
            dependencies: [
                "CallModel", "SessionWire", "RouterWire", "MediaPolicy", "WebRTCStats", "CallQuality",
                "CallHistory", "NetworkEmulation",
            ], path: "Sources/Core/SessionCore",
            swiftSettings: swift),
        .target(
            name: "HistoryWriter", dependencies: ["CallModel", "CallHistory"],
            path: "Sources/Server/HistoryWriter", swiftSettings: swift),
        .target(
            name: "CallStore",
            dependencies: [
                "CallModel", "CallHistory", "SessionWire",
                .product(name: "GRDB", package: "GRDB.swift", condition: server),
                .product(name: "GRDBSQLite", package: "GRDB.swift", condition: server),
            ], path: "Sources/Server/CallStore",
            swiftSettings: swift),
        .systemLibrary(
            name: "CLibPQ", path: "Sources/Server/CLibPQ", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"])]),
        .target(
            name: "PostgresClient", dependencies: ["CLibPQ", "CallModel"],
            path: "Sources/Server/PostgresClient", swiftSettings: swift),
        .target(
            name: "ClusterStore",
            dependencies: ["CallModel", "CallHistory", "SessionWire", "PostgresClient", "CZlib"],
            path: "Sources/Server/ClusterStore",
            swiftSettings: swift),
        .target(
            name: "SessionServer",
            dependencies: [
                "WebRTCStats", "CallModel", "SessionCore", "SessionWire", "RouterWire", "MediaPolicy",
                "NetworkEmulation", "CallQuality",
                "CallHistory", "HistoryWriter", "CallStore", "ClusterStore", "PostgresClient",
                "CallRecording", "CallReport", "CZlib", "Packing",
                .product(name: "Hummingbird", package: "hummingbird", condition: server),
                .product(name: "HummingbirdTLS", package: "hummingbird", condition: server),
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: server),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: server),
                .product(name: "NIOCore", package: "swift-nio", condition: server),
                .product(name: "NIOPosix", package: "swift-nio", condition: server),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: server),
                .product(name: "NIOWebSocket", package: "swift-nio", condition: server),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: server),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras", condition: server),
                .product(name: "NIOCertificateReloading", package: "swift-nio-extras", condition: server),
                .product(name: "JWTKit", package: "jwt-kit", condition: server),
                .product(name: "Crypto", package: "swift-crypto", condition: server),
                .product(name: "Logging", package: "swift-log", condition: server),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
            ], path: "Sources/Server/SessionServer",
            exclude: ["API/openapi.json"],
            swiftSettings: swift, plugins: ["EmbedFiles"]),
        .plugin(name: "EmbedFiles", capability: .buildTool()),
        .target(
            name: "AnalysisCommands",
            dependencies: [
                "CallModel", "CallQuality", "CallRecording", "CallReport",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: server),
            ], path: "Sources/History/AnalysisCommands",
            swiftSettings: swift, plugins: ["StampCommit"]),
        .plugin(name: "StampCommit", capability: .buildTool()),
        .executableTarget(
            name: "sightline-analyze",
            dependencies: [
                "AnalysisCommands",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: server),
            ], path: "Sources/SightlineAnalyze", swiftSettings: swift),
        .executableTarget(
            name: "SightlineCLI",
            dependencies: [
                "AnalysisCommands", "CallModel", "CallQuality", "MediaEngine", "SessionWire", "WebRTCStats",
                "Sightline",
                "NIOSignaling", "LibWebRTC", "MediaRouter", "SessionServer", "ClusterStore", "PostgresClient",
                "CallRecording",
                "CallReport",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: server),
                .product(name: "Logging", package: "swift-log", condition: server),
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "sightline-bench",
            dependencies: [
                "CallModel", "WebRTCStats", "CallQuality", "CallRecording", "SessionWire", "RouterWire",
                "CallHistory",
                "HistoryWriter", "CallStore", "ClusterStore", "PostgresClient", "SessionServer", "Sightline",
                "NIOSignaling",
                .product(name: "NIOCore", package: "swift-nio", condition: server),
                .product(name: "NIOPosix", package: "swift-nio", condition: server),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: server),
                .product(name: "Logging", package: "swift-log", condition: server),
            ],
            path: "Benchmarks", swiftSettings: swift),
        .target(
            name: "LabScoring",
            dependencies: ["CallModel", "CallQuality", "CallRecording", "LineEmulation", "MediaEngine"],
            path: "Lab/Scoring",
            swiftSettings: swift),
        .target(name: "CLineSystem", path: "Lab/CLineSystem"),
        .target(
            name: "LineEmulation",
            dependencies: ["CLineSystem", "CLinkModel", "LinkEmulation", "MediaEngine"],
            path: "Lab/LineEmulation", swiftSettings: swift),
        .executableTarget(
            name: "sightline-lab",
            dependencies: [
                "CallModel", "LabScoring", "LineEmulation", "CallQuality", "CallRecording", "MediaEngine",
                "Sightline",
                "NIOSignaling",
                "LibWebRTC",
                "SessionWire", "SessionServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: server),
                .product(name: "Logging", package: "swift-log", condition: server),
            ],
            path: "Lab/Runner", swiftSettings: swift),

        .executableTarget(
            name: "OwnPeerConnection",
            dependencies: ["Sightline", "CallQuality", "MediaEngine", "LibWebRTC"],
            path: "Examples/OwnPeerConnection"),
        .executableTarget(
            name: "SenderStatistics", dependencies: example, path: "Examples/SenderStatistics"),
        .executableTarget(
            name: "Blame", dependencies: example, path: "Examples/Blame"),
        .executableTarget(
            name: "SignalBars", dependencies: example, path: "Examples/SignalBars"),
        .executableTarget(
            name: "RecordAndAnalyse", dependencies: example + ["CallRecording"],
            path: "Examples/RecordAndAnalyse"),
        .executableTarget(
            name: "NetworkTestExample", dependencies: example, path: "Examples/NetworkTest"),
        .executableTarget(
            name: "Subscribing", dependencies: example, path: "Examples/Subscribing"),
        .executableTarget(
            name: "CallQualityEvents", dependencies: example + ["MediaEngine"],
            path: "Examples/CallQualityEvents"),
        .executableTarget(
            name: "FromVonage", dependencies: example, path: "Examples/Ports/FromVonage"),
        .executableTarget(
            name: "FromTwilio", dependencies: example, path: "Examples/Ports/FromTwilio"),
        .executableTarget(
            name: "FromSinch", dependencies: example + ["MediaEngine"], path: "Examples/Ports/FromSinch"),
        .target(
            name: "StatisticsRecipes", dependencies: ["MediaEngine", "WebRTCStats"],
            path: "Examples/Statistics"),

        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: swift),
        .testTarget(
            name: "MediaPolicyTests", dependencies: ["MediaPolicy", "CallModel", "TestSupport"],
            swiftSettings: swift),
        .testTarget(
            name: "WebRTCStatsTests", dependencies: ["WebRTCStats", "TestSupport"], swiftSettings: swift),
        .testTarget(
            name: "CallQualityTests", dependencies: ["WebRTCStats", "CallQuality", "TestSupport"],
            swiftSettings: swift),
        .testTarget(
            name: "LabScoringTests",
            dependencies: [
                "CallModel", "WebRTCStats", "LabScoring", "LineEmulation", "CallQuality", "CallRecording",
                "MediaEngine", "TestSupport",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "LineEmulationTests",
            dependencies: ["CLinkModel", "LineEmulation", "LinkEmulation", "MediaEngine"],
            swiftSettings: swift),
        .testTarget(
            name: "CallRecordingTests",
            dependencies: ["CallQuality", "WebRTCStats", "CallRecording", "TestSupport"], swiftSettings: swift
        ),
        .testTarget(
            name: "CallReportTests",
            dependencies: ["CallReport", "CallRecording", "CallQuality", "WebRTCStats", "TestSupport"],
            swiftSettings: swift),
        .testTarget(
            name: "SessionWireTests",
            dependencies: [
                "CallModel", "SessionWire", "CallQuality", "MediaPolicy", "WebRTCStats", "TestSupport",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "RouterWireTests",
            dependencies: [
                "WebRTCStats", "RouterWire", "MediaPolicy", "CallModel", "NetworkEmulation", "TestSupport",
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "CallStoreChild",
            dependencies: ["CallModel", "CallHistory", "HistoryWriter", "CallStore", "SessionWire"],
            path: "Tests/CallStoreChild", swiftSettings: swift),
        .testTarget(
            name: "CallStoreTests",
            dependencies: [
                "CallModel", "CallHistory", "HistoryWriter", "CallStore", "CallStoreChild", "SessionWire",
                "CallQuality", "ClusterStore", "PostgresClient", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift", condition: server),
            ],
            swiftSettings: swift),
        .testTarget(
            name: "PostgresClientTests", dependencies: ["PostgresClient", "TestSupport"],
            swiftSettings: swift),
        .testTarget(
            name: "ClusterStoreTests",
            dependencies: [
                "CallModel", "CallHistory", "HistoryWriter", "ClusterStore", "PostgresClient", "SessionWire",
                "TestSupport",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "SessionCoreTests",
            dependencies: [
                "CallModel", "SessionCore", "SessionWire", "RouterWire", "CallHistory", "HistoryWriter",
                "CallStore",
                "CallQuality",
                "MediaPolicy", "NetworkEmulation", "WebRTCStats", "TestSupport",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "SessionServerTests",
            dependencies: [
                "CallModel", "CallRecording", "SessionServer", "SessionCore", "SessionWire", "RouterWire",
                "CZlib", "Packing", "CallHistory", "HistoryWriter", "CallStore", "ClusterStore",
                "PostgresClient", "CallQuality",
                "MediaPolicy", "NetworkEmulation", "TestSupport", "WebRTCStats",
                .product(name: "Hummingbird", package: "hummingbird", condition: server),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: server),
                .product(name: "NIOCore", package: "swift-nio", condition: server),
                .product(name: "NIOPosix", package: "swift-nio", condition: server),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: server),
                .product(name: "NIOWebSocket", package: "swift-nio", condition: server),
                .product(name: "NIOEmbedded", package: "swift-nio", condition: server),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: server),
                .product(name: "JWTKit", package: "jwt-kit", condition: server),
                .product(name: "Logging", package: "swift-log", condition: server),
            ],
            swiftSettings: swift),
        .testTarget(
            name: "SightlineTests",
            dependencies: [
                "CallModel", "CallQuality", "MediaEngine", "WebRTCStats", "Sightline", "SessionWire",
                "MediaPolicy", "TestSupport",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "NIOSignalingTests",
            dependencies: [
                "Sightline", "NIOSignaling", "TestSupport", "Packing",
                .product(name: "NIOCore", package: "swift-nio", condition: linux),
                .product(name: "NIOPosix", package: "swift-nio", condition: linux),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: linux),
                .product(name: "NIOEmbedded", package: "swift-nio", condition: linux),
                .product(name: "NIOWebSocket", package: "swift-nio", condition: linux),
            ],
            swiftSettings: swift),
        .testTarget(
            name: "MediaEngineTests", dependencies: ["MediaEngine", "WebRTCStats"], swiftSettings: swift),
        .testTarget(
            name: "StatisticsRecipesTests",
            dependencies: ["StatisticsRecipes", "MediaEngine", "CallModel", "CallQuality", "WebRTCStats"],
            exclude: ["Fixtures"], swiftSettings: swift),
        .testTarget(
            name: "LinkEmulationTests",
            dependencies: ["CLinkModel", "LinkEmulation", "MediaEngine", "TestSupport"],
            swiftSettings: swift),
        .testTarget(
            name: "LibWebRTCTests",
            dependencies: [
                "CallModel", "MediaEngine", "WebRTCStats", "LibWebRTC", "CLibWebRTC", "CLinkModel",
                "TestSupport",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "MediaRouterTests",
            dependencies: [
                "CallModel", "NativeStats", "NetworkEmulation", "WebRTCStats", "MediaRouter", "CLibWebRTC",
                "CLinkModel", "RouterWire",
                "MediaPolicy", "TestSupport",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "SightlineCLITests",
            dependencies: [
                "AnalysisCommands", "SightlineCLI", "Sightline", "SessionServer", "CallModel", "CallQuality",
                "CallRecording", "MediaEngine", "WebRTCStats", "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: server),
                .product(name: "Logging", package: "swift-log", condition: server),
            ],
            swiftSettings: swift),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "AnalysisCommands", "CallModel", "CallQuality", "MediaEngine", "WebRTCStats", "SightlineCLI",
                "Sightline", "NIOSignaling", "LibWebRTC", "CLibWebRTC", "SessionServer", "CallRecording",
                "CallHistory", "HistoryWriter", "CallStore", "SessionWire", "TestSupport", "LineEmulation",
                .product(name: "Logging", package: "swift-log", condition: server),
            ],
            swiftSettings: swift),
    ],
    cxxLanguageStandard: .cxx20
)

// What Scripts/fuzz.sh builds: the targets of FuzzTests as one program under libFuzzer. Only what is ours counts as
// covered; the dependencies are built as for a release.
if let sanitizers = Context.environment["SIGHTLINE_FUZZ"],
    let runtime = Context.environment["SIGHTLINE_FUZZ_RUNTIME"]
{
    let ours = [
        "WebRTCStats", "CallModel", "CallQuality", "CallRecording", "CallReport", "MediaPolicy",
        "NetworkEmulation", "SessionWire", "MediaEngine", "RouterWire", "CallHistory", "HistoryWriter",
        "CallStore", "Packing", "NIOSignaling",
        "SessionCore", "SessionServer",
    ]
    let flags = ["-sanitize=\(sanitizers)", "-enable-testing"]
    for target in package.targets where ours.contains(target.name) {
        target.swiftSettings = swift + [.unsafeFlags(flags)]
    }
    package.targets.removeAll(where: \.isTest)
    package.targets.append(
        .executableTarget(
            name: "sightline-fuzz", dependencies: fuzzed, path: "Fuzz", sources: ["Targets", "Runner"],
            swiftSettings: swift,
            linkerSettings: [.unsafeFlags(flags.prefix(1) + [runtime, "-lstdc++", "-use-ld=lld"])]))
} else {
    package.targets.append(
        .testTarget(
            name: "FuzzTests", dependencies: fuzzed, path: "Fuzz", sources: ["Targets", "Replay"],
            swiftSettings: swift))
}

// On Apple's systems there are the SDK and its media engine, and an app's Xcode resolves WebRTC.framework and nothing
// else: no server, no traits to choose, no product whose name differs by case alone. Scripts/check-apple-package.py looks at
// this from Linux, by SIGHTLINE_HOST.
#if os(Linux)
let isAppleHost = Context.environment["SIGHTLINE_HOST"] == "apple"
#else
let isAppleHost = true
#endif
if isAppleHost {
    let ours: Set = [
        "WebRTCStats", "CallModel", "CallQuality", "CZlib", "Packing", "CallRecording", "MediaPolicy",
        "SessionWire", "NetworkEmulation", "MediaEngine", "Sightline", "AppleWebRTC",
    ]
    package.targets.removeAll { !ours.contains($0.name) }
    package.products.removeAll { !ours.contains($0.name) }
    package.traits = []
    package.dependencies = []
    // One build of the framework, exactly: its Swift names change between builds (Docs/apple-headers.md). Not by the package
    // that has it: the manifests of its 144 versions name a platform that their tools version does not have.
    package.targets.append(
        .binaryTarget(
            name: "WebRTC",
            url: "https://github.com/webrtc-sdk/Specs/releases/download/144.7559.09/WebRTC.xcframework.zip",
            checksum: "8edb3c20a3f5cef76bfc77ec79d749f3a4ae644d099e466972fcd7312d32a854"))
    if let engine = package.targets.first(where: { $0.name == "AppleWebRTC" }) {
        engine.dependencies.append("WebRTC")
        engine.exclude = []
        engine.resources = [.copy("PrivacyInfo.xcprivacy")]
    }
}
