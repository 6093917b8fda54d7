// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension NetworkQualityStats {
    /// What others learn of a participant that keeps its figures to itself: the levels of everything, and no figure
    /// behind them.
    package var withoutFigures: NetworkQualityStats {
        var stats = self
        stats.audio = audio?.withoutFigures
        stats.video = video?.withoutFigures
        return stats
    }
}

extension NetworkQualityMediaStats {
    fileprivate var withoutFigures: NetworkQualityMediaStats {
        var stats = self
        stats.send = send?.withoutFigures
        stats.receive = receive?.withoutFigures
        return stats
    }
}

extension NetworkQualityDirectionStats {
    fileprivate var withoutFigures: NetworkQualityDirectionStats {
        var stats = self
        stats.bandwidth = bandwidth.map { Bandwidth(level: $0.level) }
        stats.latency = latency.map { Latency(level: $0.level) }
        stats.fractionLost = fractionLost.map { FractionLost(level: $0.level) }
        return stats
    }
}
