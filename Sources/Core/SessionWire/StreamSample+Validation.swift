// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

extension StreamSample {
    /// The sample if every figure is within its range.
    ///
    /// - Throws: `malformed` or `tooMany`, with the member that is wrong.
    func validated() throws(ServerError) -> StreamSample {
        guard events?.count ?? 0 <= StreamEvent.limit else {
            throw ServerError(.tooMany, "a sample takes \(StreamEvent.limit) events")
        }
        for layers in [audio?.layers, video?.layers] { try Self.check(layers ?? []) }
        var sample = self
        if sample.events?.isEmpty == true { sample.events = nil }
        try sample.bound { (member: String, range: ClosedRange<Double>) throws(ServerError) in
            throw ServerError(
                .malformed, "\"\(member)\" must be \(range.lowerBound) to \(range.upperBound), or omitted")
        }
        return sample
    }

    private static func check(_ layers: [LayerFigures]) throws(ServerError) {
        guard layers.count <= MediaFigures.layerLimit else {
            throw ServerError(.tooMany, "a sample takes \(MediaFigures.layerLimit) layers")
        }
        for layer in layers where layer.rid.map(LayerFigures.isID) == false {
            throw ServerError(
                .malformed, "\"rid\" must have 1 to \(LayerFigures.ridLimit) letters, digits, \"_\" or \"-\"")
        }
    }
}
