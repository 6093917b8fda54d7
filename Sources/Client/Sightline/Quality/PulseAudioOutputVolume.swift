// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if os(Linux)
import Foundation

/// The volume of PulseAudio's default output, also where PipeWire plays its part.
///
/// Runs `pactl`, which has to be installed (Debian: `pulseaudio-utils`, version 15 or newer), in a process of
/// its own.
public struct PulseAudioOutputVolume: OutputVolumeSource {
    private let server: String?
    private let limit: Duration

    /// Uses a server such as `unix:/run/user/1000/pulse/native`; `nil` for the user's own.
    public init(server: String? = nil) { self.init(server: server, limit: .seconds(2)) }

    init(server: String?, limit: Duration) {
        self.server = server
        self.limit = limit
    }

    /// The loudest channel's volume, 1 for 100 % and more; `nil` without `pactl`, server or output.
    public func outputVolume() async -> Double? {
        guard let volume = await ask("get-sink-volume").flatMap(Self.volume),
            let isMuted = await ask("get-sink-mute").flatMap(Self.isMuted)
        else { return nil }
        return isMuted ? 0 : min(volume, 1)
    }

    private func ask(_ command: String) async -> String? {
        let arguments = (server.map { ["--server", $0] } ?? []) + [command, "@DEFAULT_SINK@"]
        return await OneShotProcess.output(
            of: "pactl", arguments, environment: ["LC_ALL": "C"], within: limit)
    }

    /// Reads `Volume: front-left: 32768 /  50% / -18.06 dB,   front-right: …`.
    static func volume(_ answer: String) -> Double? {
        guard let line = answer.split(separator: "\n").first(where: { $0.hasPrefix("Volume:") }) else {
            return nil
        }
        return line.dropFirst("Volume:".count).split(separator: ",").compactMap { channel in
            guard let raw = channel.split(separator: ":").last?.split(separator: "/").first else {
                return nil
            }
            return Double(raw.trimmingCharacters(in: .whitespaces)).map { $0 / 65_536 }
        }.max()
    }

    /// Reads `Mute: yes`.
    static func isMuted(_ answer: String) -> Bool? {
        switch answer.trimmingCharacters(in: .whitespacesAndNewlines) {
        case "Mute: yes": true
        case "Mute: no": false
        default: nil
        }
    }
}
#endif
