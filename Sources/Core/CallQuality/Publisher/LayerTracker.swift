// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// Makes the entries of a published video its layers: one per configured layer, small to large, also for
/// those that send nothing.
struct LayerTracker: Sendable {
    /// What a tick brings.
    struct Input {
        var report: StatsReport
        /// The streams of packets of the video, and others.
        var ticks: [OutboundDelta]
        var intent: VideoIntent?
        /// Place of the video's source in the report.
        var source: Int?
        var capturedFrameRate: Double?
        var tick: Tick
    }

    /// Most layers that are remembered while no configuration says which there are.
    static let most = 16

    let rules: VideoRules
    private(set) var layers: [LayerState] = []
    /// What changed in each layer in the last tick.
    private(set) var changes: [QualityLimitationReason?] = []

    init(rules: VideoRules) { self.rules = rules }

    /// What is observed of the layers, small to large by configured size.
    mutating func handle(_ input: Input) -> [LayerObservation] {
        prepare(input.intent?.layers)
        for tick in input.ticks where tick.kind == .video {
            guard let place = place(of: LayerKey(input.report.outboundRTP[tick.index]), tick) else {
                continue
            }
            layers[place].sum.add(tick)
        }
        for index in layers.indices { layers[index].noteSize(input.report) }
        order()
        let isWanted = input.intent?.isWanted ?? true
        var observed: [LayerObservation] = []
        changes = []
        for index in layers.indices {
            let (layer, change) = layers[index].observe(input.report, isVideoWanted: isWanted, input.tick)
            observed.append(layer)
            changes.append(change)
        }
        attribute(input, changes, to: &observed)
        return observed
    }

    /// Takes over the configuration and forgets the tick before.
    private mutating func prepare(_ intents: [LayerIntent]?) {
        for index in layers.indices {
            layers[index].sum = OutboundAggregate()
            layers[index].intent = nil
        }
        for intent in intents ?? [] {
            let key = LayerKey(rid: intent.rid)
            let index = layers.firstIndex { $0.key == key } ?? layers.endIndex
            if index == layers.endIndex { layers.append(LayerState(key: key)) }
            layers[index].intent = intent
        }
        // A layer that was never configured stays as long as no configuration says which there are.
        if intents?.isEmpty == false { layers.removeAll { $0.intent == nil } }
    }

    /// The layer that an entry belongs to; `nil` if it belongs to none.
    private mutating func place(of key: LayerKey, _ tick: OutboundDelta) -> Int? {
        if let index = layers.firstIndex(where: { $0.key == key }) { return index }
        // With one configured layer there is nothing to distinguish, whatever the engine calls it.
        if layers.count == 1, layers[0].intent != nil { return 0 }
        // Before anything is sent an engine may not have named its encodings yet.
        if layers.contains(where: { $0.intent != nil }), tick.bytes?.amount ?? 0 == 0 { return nil }
        guard layers.count < Self.most else { return nil }
        layers.append(LayerState(key: key))
        return layers.endIndex - 1
    }

    private mutating func order() {
        guard layers.count > 1 else { return }
        layers.sort { $0.rank < $1.rank }
    }
}

extension LayerState {
    /// Small to large by configured size, else by what was encoded, else by configured rate.
    ///
    /// A layer nothing is known of is one that never sent, and those are the large ones. The last part only
    /// makes the order a fixed one.
    fileprivate var rank: (Double, Double, String) {
        let encoded = largestEncoded > 0 ? largestEncoded : .infinity
        let size = intent?.size?.pixels ?? (intent?.maximumBitrate == nil ? encoded : 0)
        let name =
            switch key {
            case .rid(let rid): rid
            case .encoding(let index): "\(index)"
            case .single: ""
            }
        return (size, intent?.maximumBitrate ?? .infinity, name)
    }
}
