// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What is missing of the audio of a tick: all that its opinion score rests on beside delay.
package struct MissingAudio: Sendable, Equatable {
    /// The share of the samples that stand for missing audio, `0...1`.
    package var share: Double
    /// How many times longer the gaps were than if packets had been lost independently, from 1 on.
    package var burstRatio: Double
}
