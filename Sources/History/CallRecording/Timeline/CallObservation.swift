// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// What one end of a stream showed in one moment of a call: the observation of a report, or the sample of it that was kept.
public struct CallObservation: Sendable, Equatable {
    private enum Origin: Sendable, Equatable {
        case report(StreamObservation)
        case store(StreamSample, StreamRole)
    }

    /// The recorder's time of the report, in Unix ms.
    public var time: Double
    private let origin: Origin

    /// What was observed of a report.
    public init(time: Double, content: StreamObservation) {
        self.time = time
        origin = .report(content)
    }

    /// What was kept of a report: its sample.
    ///
    /// - Parameters:
    ///   - time: When it was, in Unix ms.
    ///   - sample: What is stored of it.
    ///   - role: Whether that is of what is sent or of what is received; see ``role``.
    public init(time: Double, sample: StreamSample, of role: StreamRole) {
        self.time = time
        origin = .store(sample, role)
    }

    /// Whether it is of what is sent or of what is received: a router receives what a publisher sends.
    public var role: StreamRole {
        switch origin {
        case .store(_, let role): role
        case .report(let content): content.role
        }
    }

    /// The observation, of which the SDK's statistics can be made; `nil` where only its sample was kept.
    public var content: StreamObservation? {
        if case .report(let content) = origin { content } else { nil }
    }

    /// The figures; counts and bitrates of a publisher with several connections are their sums.
    public var sample: StreamSample {
        switch origin {
        case .store(let sample, _): sample
        case .report(.subscriber(let observation)): StreamSample(observation)
        case .report(.publisher(let observation)): StreamSample(total: observation)
        }
    }

    /// The stream's diagnosis; that of nothing known if it was not kept.
    public var diagnosis: Diagnosis {
        switch origin {
        case .store(let sample, _): sample.diagnosis ?? Diagnosis()
        case .report(let content): content.diagnosis
        }
    }

    /// What the moment caused.
    var events: [StreamEvent] {
        switch origin {
        case .store(let sample, _): sample.events ?? []
        case .report(.publisher(let observation)): observation.events
        case .report(.subscriber(let observation)): observation.events
        }
    }

    /// The report's own time, in Unix ms.
    var timestamp: Double { content?.timestamp ?? time }
}
