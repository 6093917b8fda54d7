// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What became of a batch.
public struct WriteOutcome: Sendable, Equatable {
    /// Samples that are in the store now and were not before.
    public var samples = 0
    /// Samples, events and reports that were there already.
    public var duplicates = 0
    /// Records that the schema refuses, such as those of a participant who was deleted meanwhile.
    public var rejected = 0
    /// Alerts that began, grew or ended.
    public var alerts: [Alert] = []
    /// What is new, for those who watch; empty unless asked for.
    public var news: [StoreNews] = []
}

/// Something that has just been stored.
public enum StoreNews: Sendable, Equatable {
    /// A sample.
    case sample(FlowDescription, SampleRecord)
    /// An event.
    case event(EventRecord)
}
