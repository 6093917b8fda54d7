// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Tells which kind of media alone is lost: a path that drops large packets (MTU) takes video and spares audio.
struct SelectiveLoss: Sendable {
    private var samples: [(kind: MediaKind, loss: LossSample)] = []

    /// Time over which losses are compared, in ms.
    private static let window = 10_000.0
    /// How unlikely it has to be that the other kind is spared by chance, as a natural logarithm: one in 10,000.
    private static let chance = -9.2

    /// The kind that alone is lost; `nil` if both are, none is, or it may be chance.
    private(set) var kind: MediaKind?

    /// Takes the losses of a tick.
    mutating func handle(_ losses: [(kind: MediaKind, loss: LossSample)], at time: Double) {
        samples += losses
        samples.removeAll { $0.loss.to < time - Self.window }
        let (audio, video) = (tally(.audio), tally(.video))
        kind = isSpared(audio, beside: video) ? .video : isSpared(video, beside: audio) ? .audio : nil
    }

    private func tally(_ kind: MediaKind) -> LossTally {
        samples.reduce(LossTally()) { $1.kind == kind ? $0 + $1.loss.tally : $0 }
    }

    /// Whether one kind lost nothing where the loss of the other would have taken some of it.
    private func isSpared(_ spared: LossTally, beside lossy: LossTally) -> Bool {
        spared.lost <= 0 && -(lossy.fraction ?? 0) * spared.expected <= Self.chance
    }
}
