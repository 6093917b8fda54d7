// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A sample's figures and words as one list of integers, in the order of ``SampleFigures``: what is sent of a sample of
/// which nothing else has changed.
///
/// Places reach programs of other versions: those of a round of additions come after those of all rounds before, in whatever
/// part of a sample they are. Round 0 is release 0.2.0's.
package struct SampleCodes: Sendable, Equatable {
    /// In steps of what is sent; words by their place in the vocabulary; `nil` for what is absent.
    private var codes: [Int64?]

    /// The codes of a sample.
    package init(_ sample: StreamSample) { codes = Slot.all.map { $0.code(sample) } }

    /// What has changed since another sample: how many places after the last change it is, from 1 on, and the difference.
    ///
    /// A place below zero is that of what is absent now, and has no difference.
    package func changes(since old: SampleCodes) -> [Int64] {
        var changes: [Int64] = []
        var last = -1
        for (index, (new, old)) in zip(codes, old.codes).enumerated() where new != old {
            let place = Int64(index - last)
            last = index
            changes += new.map { [place, $0 &- (old ?? 0)] } ?? [-place]
        }
        return changes
    }

    /// The codes after changes; `nil` if those are not in order.
    package func adding(_ changes: [Int64]) -> SampleCodes? {
        var result = self
        var rest = changes[...]
        var index = -1
        while let place = rest.popFirst() {
            let step = Int(clamping: place.magnitude)
            guard step > 0, step < codes.count - index else { return nil }
            index += step
            guard place > 0 else {
                result.codes[index] = nil
                continue
            }
            guard let difference = rest.popFirst() else { return nil }
            let (code, isTooLarge) = (codes[index] ?? 0).addingReportingOverflow(difference)
            result.codes[index] = isTooLarge ? nil : code
        }
        return result
    }

    /// A sample with these figures and words and all else that another has.
    ///
    /// - Parameter old: The codes that the other sample has already; `nil` if its figures may be finer.
    package func written(into sample: StreamSample, since old: SampleCodes? = nil) -> StreamSample {
        var sample = sample
        for (index, slot) in Slot.all.enumerated() where old?.codes[index] != codes[index] || old == nil {
            slot.set(&sample, codes[index])
        }
        return sample
    }

    /// What a sample is without its figures and words, which shows whether anything else has changed.
    package static func rest(of sample: StreamSample) -> StreamSample {
        var sample = sample
        for slot in Slot.all { slot.set(&sample, nil) }
        sample.events = nil
        return sample
    }
}

/// One figure or word, wherever in a sample it is.
private struct Slot: Sendable {
    var round = 0
    let code: @Sendable (StreamSample) -> Int64?
    /// Does nothing to a part that is not there.
    let set: @Sendable (inout StreamSample, Int64?) -> Void

    static let all: [Slot] = parts.enumerated()
        .sorted { ($0.element.round, $0.offset) < ($1.element.round, $1.offset) }.map(\.element)

    private static let parts: [Slot] =
        words(SampleFigures.words, { $0 }, { $0 = $1 }) + figures(SampleFigures.path, { $0 }, { $0 = $1 })
        + words(SampleFigures.diagnosisWords, { $0.diagnosis }, { $0.diagnosis = $1 })
        + figures(SampleFigures.diagnosis, { $0.diagnosis }, { $0.diagnosis = $1 })
        + [evidence]
        + figures(SampleFigures.evidence, { $0.diagnosis?.evidence }, { $0.diagnosis?.evidence = $1 })
        + figures(SampleFigures.audio, { $0.audio }, { $0.audio = $1 })
        + figures(SampleFigures.video, { $0.video }, { $0.video = $1 })
        + words(SampleFigures.videoWords, { $0.video }, { $0.video = $1 })
        + (0..<MediaFigures.layerLimit).flatMap(layer)
        + levels({ $0.levels?.audio }, { $0.levels?.audio = $1 })
        + levels({ $0.levels?.video }, { $0.levels?.video = $1 })

    private static func figures<Part>(
        _ figures: [SampleFigure<Part>], _ get: @escaping @Sendable (StreamSample) -> Part?,
        _ put: @escaping @Sendable (inout StreamSample, Part) -> Void
    ) -> [Slot] {
        figures.map { figure in
            Slot(
                round: figure.round, code: { get($0).flatMap(figure.steps) },
                set: { sample, code in
                    guard var part = get(sample) else { return }
                    figure.setSteps(&part, code)
                    put(&sample, part)
                })
        }
    }

    private static func words<Part>(
        _ words: [SampleWord<Part>], _ get: @escaping @Sendable (StreamSample) -> Part?,
        _ put: @escaping @Sendable (inout StreamSample, Part) -> Void
    ) -> [Slot] {
        words.map { word in
            Slot(
                round: word.round, code: { get($0).flatMap(word.code) },
                set: { sample, code in
                    guard var part = get(sample) else { return }
                    word.set(&part, code: code)
                    put(&sample, part)
                })
        }
    }

    /// Whether there is any evidence, which comes and goes with what is wrong.
    private static let evidence = Slot(
        code: { $0.diagnosis?.evidence.map { _ in 1 } },
        set: { sample, code in
            let evidence = sample.diagnosis?.evidence ?? Diagnosis.Evidence()
            sample.diagnosis?.evidence = code == nil ? nil : evidence
        })

    private static func layer(_ index: Int) -> [Slot] {
        let get: @Sendable (StreamSample) -> LayerFigures? = {
            $0.video?.layers.flatMap { $0.indices.contains(index) ? $0[index] : nil }
        }
        let flags = [
            Slot(
                code: { get($0)?.enabled.map { $0 ? 1 : 0 } },
                set: { if get($0) != nil { $0.video?.layers?[index].enabled = $1.map { $0 != 0 } } }),
            Slot(
                code: { get($0)?.sending.map { $0 ? 1 : 0 } },
                set: { if get($0) != nil { $0.video?.layers?[index].sending = $1.map { $0 != 0 } } }),
        ]
        return flags + figures(SampleFigures.layer, get, { $0.video?.layers?[index] = $1 })
    }

    private typealias Direction = NetworkQualityDirectionStats

    private static func levels(
        _ get: @escaping @Sendable (StreamSample) -> Direction?,
        _ put: @escaping @Sendable (inout StreamSample, Direction) -> Void
    ) -> [Slot] {
        func leaf<Leaf>(
            _ figures: [SampleFigure<Leaf>], _ path: @escaping @Sendable (Direction) -> Leaf?,
            _ change: @escaping @Sendable (inout Direction, Leaf) -> Void
        ) -> [Slot] {
            Self.figures(
                figures, { get($0).flatMap(path) },
                { sample, leaf in
                    guard var direction = get(sample) else { return }
                    change(&direction, leaf)
                    put(&sample, direction)
                })
        }
        /// The level of a leaf, which is there if its level is.
        func level(
            _ path: @escaping @Sendable (Direction) -> NetworkQualityLevel?,
            _ change: @escaping @Sendable (inout Direction, NetworkQualityLevel?) -> Void
        ) -> Slot {
            Slot(
                code: { get($0).flatMap(path).map { Int64($0.rawValue) } },
                set: { sample, code in
                    guard var direction = get(sample) else { return }
                    change(
                        &direction, code.map { NetworkQualityLevel(rawValue: Int(clamping: $0)) ?? .unknown })
                    put(&sample, direction)
                })
        }
        return [
            level({ $0.level }, { $0.level = $1 ?? .unknown }),
            level(
                { $0.bandwidth?.level },
                { direction, level in
                    direction.bandwidth = level.map {
                        .init(
                            level: $0, actual: direction.bandwidth?.actual,
                            available: direction.bandwidth?.available)
                    }
                }),
            level(
                { $0.latency?.level },
                { direction, level in
                    direction.latency = level.map {
                        .init(level: $0, jitter: direction.latency?.jitter, rtt: direction.latency?.rtt)
                    }
                }),
            level(
                { $0.fractionLost?.level },
                { direction, level in
                    direction.fractionLost = level.map {
                        .init(level: $0, fractionLost: direction.fractionLost?.fractionLost)
                    }
                }),
        ] + leaf(SampleFigures.bandwidthLevel, { $0.bandwidth }, { $0.bandwidth = $1 })
            + leaf(SampleFigures.latencyLevel, { $0.latency }, { $0.latency = $1 })
            + leaf(SampleFigures.lossLevel, { $0.fractionLost }, { $0.fractionLost = $1 })
    }
}
