// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Whether it is decided how the audio session is configured, by the app or by the first peer connection.
///
/// Every later peer connection, such as one that takes the place of a broken one, leaves the session as it is.
final class AudioSessionChoice: Sendable {
    /// That of the one session that the process has.
    static let ofProcess = AudioSessionChoice()

    private let made = Mutex(false)

    var isMade: Bool { made.withLock(\.self) }

    func make() { made.withLock { $0 = true } }
}
