// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension ClientFacts {
    /// Takes a recording's events.
    mutating func note(_ trace: [TraceEvent]) {
        var captured: [String: (kind: String, time: Double, isDisplay: Bool)] = [:]
        events = trace.count
        for event in trace {
            if LineContext.isTime(event.time) {
                from = min(from ?? event.time, event.time)
                to = max(to ?? event.time, event.time)
            }
            switch event.content {
            case .page(let page): self.page.merge(page)
            case .devicesListed: deviceLists += 1
            case .uploadConnected(let seconds): uploadDelay = uploadDelay ?? seconds
            case .captureRequested(let request):
                if request.isDisplay { displayMedia.note(request) } else { userMedia.note(request) }
            case .captured(let tracks, let isDisplay):
                if isDisplay {
                    displayMedia.note(tracks, event.time)
                } else {
                    userMedia.note(tracks, event.time)
                }
                for track in tracks { captured[track.id] = (track.kind, event.time, isDisplay) }
            case .captureFailed(let error, let message, let isDisplay):
                let failure = CaptureFacts.Failure(time: event.time, error: error, message: message)
                if isDisplay {
                    displayMedia.failures.append(failure)
                } else {
                    userMedia.failures.append(failure)
                }
            case .trackEnded(let id):
                guard let track = captured[id] else { break }
                endedTracks.append(
                    EndedTrack(
                        kind: track.kind, time: event.time, lifetime: (event.time - track.time) / 1000,
                        isDisplay: track.isDisplay))
            default: break
            }
        }
    }
}

extension CaptureFacts {
    fileprivate mutating func note(_ request: TraceCapture) {
        requests += 1
        if request.hasAudio { audioRequests += 1 }
        if request.hasVideo { videoRequests += 1 }
        if request.hasAudio, request.hasVideo { combinedRequests += 1 }
        if request.hasAudio { isEchoCancellationOff = request.echoCancellation == false }
    }

    fileprivate mutating func note(_ tracks: [TraceTrack], _ time: Double) {
        successes += 1
        lastSuccess = time
        for track in tracks {
            if !kinds.contains(track.kind) { kinds.append(track.kind) }
            guard let label = track.label, !label.isEmpty else { continue }
            let usb = Self.usb(label)
            if track.kind == "audio" {
                audioDeviceUSB = audioDeviceUSB ?? usb
                isAudioByBluetooth = (isAudioByBluetooth ?? false) || Self.isBluetooth(label)
            } else {
                videoDeviceUSB = videoDeviceUSB ?? usb
            }
        }
    }

    /// Browsers on Windows and Linux put `(1234:abcd)` after a USB device's name.
    private static func usb(_ label: String) -> String? {
        guard label.hasSuffix(")"), let open = label.lastIndex(of: "(") else { return nil }
        let id = label[label.index(after: open)...].dropLast()
        let parts = id.split(separator: ":", omittingEmptySubsequences: false)
        let isUSB = parts.count == 2 && parts.allSatisfy { $0.count == 4 && $0.allSatisfy(\.isHexDigit) }
        return isUSB ? id.lowercased() : nil
    }

    /// Words that systems put into the names of devices by Bluetooth.
    private static let bluetoothWords = [
        "bluetooth", "hands-free", "handsfree", "airpods", "ag audio", "(hfp", "buds",
    ]

    private static func isBluetooth(_ label: String) -> Bool {
        let label = label.lowercased()
        return bluetoothWords.contains { label.contains($0) }
    }
}
