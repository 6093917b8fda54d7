// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Observation

/// What a view shows of a stream that is received or published: its diagnosis, and its newest figures.
///
/// ```swift
/// @State var quality = StreamModel<SubscriberObservation>(subscriber)
/// var body: some View { CallQualityOverlay(level, quality.diagnosis) }
/// ```
///
/// It keeps neither the subscriber nor the publisher.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
@MainActor @Observable
public final class StreamModel<StreamObservation: Sendable> {
    /// The newest observation; `nil` before the first.
    public private(set) var newest: StreamObservation?
    /// The newest diagnosis; `nil` before the first observation.
    public private(set) var diagnosis: Diagnosis?
    /// Whether the stream is over for this client; the figures are the last ones then.
    public private(set) var isOver = false
    @ObservationIgnored private var following: Task<Void, Never>?

    private init(
        _ observations: AsyncStream<StreamObservation>,
        _ diagnosis: @escaping @Sendable (StreamObservation) -> Diagnosis
    ) {
        following = Task { [weak self] in
            for await observation in observations {
                self?.take(observation, diagnosis(observation))
            }
            self?.isOver = true
        }
    }

    deinit { following?.cancel() }

    private func take(_ observation: StreamObservation, _ diagnosis: Diagnosis) {
        newest = observation
        self.diagnosis = diagnosis
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
extension StreamModel where StreamObservation == SubscriberObservation {
    /// Follows a subscriber from now on.
    public convenience init(_ subscriber: Subscriber) { self.init(subscriber.observations(), \.diagnosis) }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
extension StreamModel where StreamObservation == PublisherObservation {
    /// Follows a publisher from now on.
    public convenience init(_ publisher: Publisher) { self.init(publisher.observations(), \.diagnosis) }
}
