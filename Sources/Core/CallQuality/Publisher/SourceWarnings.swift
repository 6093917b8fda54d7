// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Makes one warning of those that each connection of a relayed stream raises about the same microphone, camera or
/// encoder.
struct SourceWarnings: Sendable {
    /// The connections that raise each.
    private var raisedBy: [Symptom: [SubscriberConnection?]] = [:]

    /// Takes the warnings of a connection; returns those that the stream has.
    mutating func handle(
        _ warnings: [CallQualityWarning], of connection: SubscriberConnection?
    ) -> [CallQualityWarning] {
        warnings.filter { warning in
            let symptom = Symptom(kind: warning.kind, media: warning.media, direction: warning.direction)
            guard symptom.isOfSource else { return true }
            let before = raisedBy[symptom] ?? []
            var after = before.filter { $0 != connection }
            if warning.phase == .trigger { after.append(connection) }
            raisedBy[symptom] = after.isEmpty ? nil : after
            return before.isEmpty != after.isEmpty
        }
    }
}
