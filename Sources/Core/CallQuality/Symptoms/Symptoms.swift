// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// What can be wrong with a stream's connection, media or devices: what a kind of warning warns of.
struct Symptom: Sendable, Hashable {
    var kind: CallQualityWarning.Kind
    var media: MediaKind?
    var direction: CallQualityWarning.Direction?

    /// Whether it is about the microphone, the camera or the encoder of a stream: one for all of its connections.
    var isOfSource: Bool {
        switch kind {
        case .constantAudioLevel, .zeroAudioLevel: direction == .outbound
        case .silentMicrophone, .lowCaptureRate, .cpuLimited, .speakingWhileMuted: true
        default: false
        }
    }

    /// Whether media that should flow do not.
    var isOfMissingMedia: Bool {
        kind == .noMediaSent || kind == .noMediaReceived || kind == .frozenVideo
    }
}

/// What is wrong with a stream in one tick.
///
/// The diagnosis and the warnings both read it, and never each other: which warnings are wanted says nothing
/// about what is wrong.
struct Symptoms: Sendable, Equatable {
    /// Impairments that have lasted for their rule's duration.
    var present: [Symptom] = []
    /// What the figures of this tick say, however long they have.
    var suspected: [Symptom] = []
    /// What nothing is there to show of: the medium is off.
    var notApplicable: [Symptom] = []

    /// Whether a camera gives no frames at all.
    var isCameraDead = false
    /// Whether a microphone gives no samples at all, not even silent ones.
    var isMicrophoneDead = false

    /// Whether an encoder that has a target and frames to encode has never encoded one.
    var isEncoderDead = false

    /// Whether this device's processor cannot keep up.
    var isCPULimited: Bool { contains(.cpuLimited) || contains(.decoderOverloaded) }
    /// Whether a device of this end does not deliver.
    var isDeviceSilent: Bool { contains(.silentMicrophone) || isMicrophoneDead || isCameraDead }
    /// Whether audio and video of one sender are played at different times.
    var isOutOfSync: Bool { contains(.outOfSync) }
    /// Whether media that should flow do not.
    var isMediaMissing: Bool { isEncoderDead || present.contains(where: \.isOfMissingMedia) }
    /// Whether what is missing is what devices do not deliver.
    var isMissingAtSource: Bool {
        let kinds = missingKinds
        return !kinds.isEmpty && kinds.allSatisfy { $0 == .video ? isCameraDead : isMicrophoneDead }
    }
    /// The kind of media that is missing; `nil` if none is, or both are.
    var missingKind: MediaKind? { missingKinds.count == 1 ? missingKinds.first : nil }
    private var missingKinds: Set<MediaKind> {
        let kinds = Set(present.filter(\.isOfMissingMedia).compactMap(\.media))
        return isEncoderDead ? kinds.union([.video]) : kinds
    }
    /// Whether audio is audibly concealed in this tick.
    var isConcealing: Bool { suspected.contains { $0.kind == .highAudioConcealment } }

    /// Those of the whole connection, where its tracks have the others.
    var ofConnection: Symptoms {
        Symptoms(
            present: present.filter { $0.media == nil }, suspected: suspected.filter { $0.media == nil },
            notApplicable: notApplicable.filter { $0.media == nil })
    }

    private func contains(_ kind: CallQualityWarning.Kind) -> Bool { present.contains { $0.kind == kind } }
}
