// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine

/// What has been found out of one direction while it is filled.
private struct Saturation {
    var direction: NetworkDirection
    /// `nil` before the first measurement.
    var bandwidth: PreCallMeasurement.Bandwidth?
    /// Whether more load would find out more.
    var isOpen = true
}

extension QualityStage {
    /// The first load: links that carry less are not hit with the full one.
    private static let firstLoad = 1_000_000.0
    /// Less than this share of the load delivered: the path is full, and more would only do harm.
    private static let fullShare = 0.7
    /// More than this: it carries all that is asked for.
    private static let ampleShare = 0.9
    /// A measurement needs this many bits, of which one packet is a twentieth, and so much time.
    private static let neededBits = 200_000.0
    private static let shortest: Duration = .milliseconds(400)
    private static let longest: Duration = .milliseconds(2_200)
    /// The same where the far end has not been heard of meanwhile, or so little arrives that each packet
    /// counts.
    private static let timeout: Duration = .seconds(5)
    /// The same of the downlink alone, for which little time is left.
    private static let audioOnlyTimeout: Duration = .milliseconds(3_500)
    /// Less than this is so little, bps.
    private static let little = 60_000.0
    /// How often a direction is filled again: the media router stops by itself after three seconds.
    private static let refill: Duration = .seconds(2)
    /// A downlink with less than this share of the uplink's rate is looked at alone.
    private static let starvedShare = 0.8
    /// Until the load has come to the far end, beside round trips.
    private static let warmUp: Duration = .milliseconds(250)
    /// Frames a second meanwhile: padding costs the device less than frames.
    private static let frameRate = 10.0

    /// Fills both directions, first a little and then up to the ceiling, and measures what arrives.
    mutating func measureBandwidth() async throws -> (
        PreCallMeasurement.Bandwidth?, PreCallMeasurement.Bandwidth?
    ) {
        var saturations = [Saturation(direction: .uplink), Saturation(direction: .downlink)]
        let ceiling = rules.bandwidthCeiling
        // How far away the far end is decides how long one has to wait for it.
        try await tick()
        media.publisher.videoSource?.setFrameRate(Self.frameRate)
        defer { media.publisher.videoSource?.setFrameRate(run.configuration.frameRate) }
        for load in ceiling > Self.firstLoad * 1.5 ? [Self.firstLoad, ceiling] : [ceiling] {
            try await measure(&saturations, load)
            guard saturations.contains(where: \.isOpen) else { break }
        }
        if Self.isStarved(downlink: saturations[1].bandwidth, uplink: saturations[0].bandwidth) {
            try await measureAlone(&saturations[1])
        }
        try endSaturation(saturations[0].bandwidth, saturations[1].bandwidth)
        return (saturations[0].bandwidth, saturations[1].bandwidth)
    }

    /// Whether a downlink may have been narrow only because the uplink was full: one as narrow as that loses
    /// nearly all the answers by which the media router knows that someone is there to send to.
    static func isStarved(downlink: PreCallMeasurement.Bandwidth?, uplink: PreCallMeasurement.Bandwidth?)
        -> Bool
    {
        let rate = uplink?.rate ?? 0
        return rate < little && downlink?.rate ?? 0 < rate * starvedShare
    }

    /// Measures the downlink with a silent uplink.
    private mutating func measureAlone(_ downlink: inout Saturation) async throws {
        try endSaturation(nil, nil)
        let publication = media.publisher.publication
        try publication?.holdMedia(true)
        defer { try? publication?.holdMedia(false) }
        var alone = [Saturation(direction: .downlink)]
        try await measure(&alone, Self.firstLoad, timeout: Self.audioOnlyTimeout)
        guard let found = alone[0].bandwidth, found.rate > downlink.bandwidth?.rate ?? 0 else { return }
        downlink.bandwidth = found
    }

    /// Measures what arrives of a load in the directions that are still open.
    private mutating func measure(
        _ saturations: inout [Saturation], _ load: Double, timeout: Duration = timeout
    ) async throws {
        try await fill(&saturations, load)
        var filledAt = clock.now()
        let start = filledAt + Self.warmUp + .seconds(2 * (measurements.roundTripTime ?? 0))
        while true {
            try await tick()
            let now = clock.now()
            if now - filledAt >= Self.refill {
                try await fill(&saturations, load)
                filledAt = now
            }
            guard now > start else { continue }
            sample(now, step: .bandwidth, done: doneByTime)
            let rates = saturations.map { saturation in
                saturation.direction == .uplink
                    ? measurements.uplinkRate(from: start, to: now)
                    : measurements.downlinkRate(from: start, to: now)
            }
            let isEnough = zip(saturations, rates).allSatisfy { saturation, rate in
                !saturation.isOpen || rate.map { Self.isEnough($0, now - start) } ?? false
            }
            let isPlenty = zip(saturations, rates).allSatisfy { !$0.isOpen || $1 ?? 0 >= Self.little }
            guard isEnough || now - start >= (isPlenty ? Self.longest : timeout) else { continue }
            for index in saturations.indices where saturations[index].isOpen {
                saturations[index].take(rates[index], of: load, full: Self.fullShare, ample: Self.ampleShare)
            }
            return
        }
    }

    private func fill(_ saturations: inout [Saturation], _ load: Double) async throws {
        for index in saturations.indices where saturations[index].isOpen {
            saturations[index].isOpen = try await saturate(saturations[index].direction, load)
        }
    }

    private static func isEnough(_ rate: Double, _ time: Duration) -> Bool {
        time >= shortest && rate * time.seconds >= neededBits
    }
}

extension Saturation {
    fileprivate mutating func take(_ rate: Double?, of load: Double, full: Double, ample: Double) {
        guard let rate else { return }
        bandwidth = PreCallMeasurement.Bandwidth(rate: rate, isAtLeast: rate >= load * ample)
        isOpen = rate >= load * full
    }
}
