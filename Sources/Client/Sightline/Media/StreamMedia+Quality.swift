// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import SessionWire

extension StreamMedia {
    /// The way that the media take broke, or came back.
    func note(_ path: PathState) { context.quality.note(path, of: qualityId) }

    /// A tick was measured, or could not be.
    func note(_ event: CallMonitorEvent, streamId: String?) {
        switch event {
        case .observed(.publisher(let observation)):
            note(observation.levels, observation.events.compactMap(\.warning), streamId)
        case .observed(.subscriber(let observation)):
            note(observation.levels, observation.events.compactMap(\.warning), streamId)
        case .unavailable: context.quality.noteSilence(of: qualityId)
        }
    }

    private func note(_ levels: StreamLevels, _ warnings: [CallQualityWarning], _ streamId: String?) {
        // The router sees the same path from its other end.
        let seen = freshMetrics?.levels
        context.quality.note(
            [levels] + (seen.map { [$0] } ?? []), warnings, of: qualityId, streamId: streamId)
    }
}

extension StreamEvent {
    /// The warning that it is; `nil` if it is something else.
    fileprivate var warning: CallQualityWarning? {
        if case .callQuality(let warning) = self { warning } else { nil }
    }
}
