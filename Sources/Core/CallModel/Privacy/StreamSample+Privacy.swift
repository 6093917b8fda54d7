// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension StreamSample {
    /// What a stream's subscribers need of its publisher's figures.
    package var forSubscribers: StreamSample {
        var sample = self
        sample.events = nil
        sample.video?.layers = nil
        return sample
    }

    /// What subscribers learn of a publisher that keeps its figures to itself: what is wrong, and no figure of it.
    ///
    /// Blame needs it: a side, a cause, a reason and a condition are no figures.
    package var judgements: StreamSample {
        var sample = StreamSample()
        sample.networkCondition = networkCondition
        sample.networkConditionReason = networkConditionReason
        sample.networkDegradationSource = networkDegradationSource
        sample.diagnosis = diagnosis.map { Diagnosis(cause: $0.cause) }
        return sample
    }
}
