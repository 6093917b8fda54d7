// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if os(Linux)
import CallQuality
import Foundation
import TestSupport
import Testing

@testable import Sightline

@Suite("The device's output volume", .timeLimit(.minutes(1)))
struct OutputVolumeTests {
    @Test(
        "pactl's words are read, those of others are not",
        arguments: [
            ("Volume: front-left: 32768 /  50% / -18.06 dB,   front-right: 16384 /  25% / -36.12 dB\n", 0.5),
            ("Volume: mono: 0 /   0% / -inf dB\n        balance 0.00\n", 0),
            ("Volume: aux0: 98304 / 150% / 10.57 dB", 1.5), ("Volume: (invalid)", nil), ("", nil),
            ("Failure: No such entity", nil), ("Volume: front-left: x / 50%", nil),
        ] as [(String, Double?)])
    func volumes(text: String, volume: Double?) {
        #expect(PulseAudioOutputVolume.volume(text) == volume)
    }

    @Test("Muting is read", arguments: [("Mute: yes\n", true), ("Mute: no", false), ("Stumm: ja", nil)])
    func mute(text: String, isMuted: Bool?) {
        #expect(PulseAudioOutputVolume.isMuted(text) == isMuted)
    }

    @Test("A server that is not there, and a program that hangs, give no volume")
    func absent() async {
        let nowhere = PulseAudioOutputVolume(server: "unix:/nonexistent/native")
        #expect(await nowhere.outputVolume() == nil)
        let slow = await OneShotProcess.output(
            of: "sleep", ["60"], environment: [:], within: .milliseconds(100))
        #expect(slow == nil)
        let missing = await OneShotProcess.output(
            of: "no-such-program", [], environment: [:], within: .seconds(5))
        #expect(missing == nil)
        let loud = await OneShotProcess.output(of: "yes", [], environment: [:], within: .seconds(5))
        #expect(loud == nil)
        let fine = await OneShotProcess.output(
            of: "sh", ["-c", "echo $WORD"], environment: ["WORD": "heard"], within: .seconds(5))
        #expect(fine == "heard\n")
    }

    @Test(
        "A real PulseAudio is heard, and a low volume warns the session's delegate once until it is raised",
        .enabled(if: PulseAudio.isInstalled, "pulseaudio and pactl are not installed"))
    func real() async throws {
        let pulse = try await PulseAudio()
        let source = PulseAudioOutputVolume(server: pulse.server, limit: .seconds(20))
        try await pulse.set("set-sink-volume", "40%")
        #expect(abs(try #require(await source.outputVolume()) - 0.4) < 0.01)
        try await pulse.set("set-sink-mute", "1")
        #expect(await source.outputVolume() == 0)
        try await pulse.set("set-sink-mute", "0")
        try await pulse.set("set-sink-volume", "150%")
        #expect(await source.outputVolume() == 1)

        var configuration = SessionConfiguration()
        configuration.statisticsInterval = .milliseconds(200)
        configuration.outputVolume = source
        configuration.outputVolumeInterval = .milliseconds(200)
        let server = FakeServer()
        server.add(FakeServer.stream("theirs"))
        let session = Session(
            url: "ws://server.test", token: "t", engine: FakeEngine(), signaling: server,
            configuration: configuration)
        var events = session.events().makeAsyncIterator()
        try await session.connect()
        try await session.subscribe(Subscriber(stream: try #require(session.streams.first)))
        try await pulse.set("set-sink-volume", "20%")
        #expect(await Self.next(&events)?.warning.phase == .trigger)
        try await pulse.set("set-sink-volume", "60%")
        let recovered = await Self.next(&events)
        #expect(recovered?.warning.phase == .recover && recovered?.streamId == nil)
        await session.disconnect()
        pulse.stop()
        #expect(await source.outputVolume() == nil)
    }

    private static func next(_ events: inout AsyncStream<SessionEvent>.Iterator) async -> CallQualityEvent? {
        while let event = await events.next() {
            if case .callDidEmitCallQualityEvent(let event) = event,
                event.warning.kind == .lowOSOutputVolumeLevel
            {
                return event
            }
        }
        return nil
    }
}

/// A PulseAudio of the test's own, with an output that leads nowhere.
private final class PulseAudio {
    private let daemon: ChildProcess
    private let folder: URL
    let server: String

    private static func path(of program: String) -> URL? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { URL(filePath: String($0)).appending(path: program) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    static var isInstalled: Bool { path(of: "pulseaudio") != nil && path(of: "pactl") != nil }

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "sightline-pulse-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let socket = folder.appending(path: "native").path
        server = "unix:\(socket)"
        daemon = try ChildProcess(
            try #require(Self.path(of: "pulseaudio")),
            [
                "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--disable-shm=yes",
                "-L", "module-null-sink sink_name=nowhere",
                "-L", "module-native-protocol-unix socket=\(socket) auth-anonymous=1",
            ],
            environment: [
                "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "PULSE_RUNTIME_PATH": folder.path,
                "PULSE_STATE_PATH": folder.path, "DBUS_SESSION_BUS_ADDRESS": "disabled:",
            ])
        try await TestSupport.eventually("PulseAudio's socket", within: .seconds(30)) {
            FileManager.default.fileExists(atPath: socket)
        }
    }

    func set(_ command: String, _ value: String) async throws {
        let pactl = try ChildProcess(
            try #require(Self.path(of: "pactl")), ["--server", server, command, "@DEFAULT_SINK@", value],
            environment: ["HOME": folder.path])
        #expect(try await pactl.exitCode() == 0, "\(pactl.errors)")
    }

    func stop() {
        daemon.send(signal: SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    deinit { stop() }
}
#endif
