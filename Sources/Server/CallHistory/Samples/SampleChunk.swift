// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// A sample of one flow as one observer measured it.
package struct ChunkSample: Sendable, Equatable {
    /// When it came, Unix ms: the order in which samples are read.
    package var receivedAt: Int64
    /// When it was measured, Unix ms by the server's clock.
    package var time: Int64
    /// When it was measured, Unix ms by the clock of the measuring end.
    package var capturedAt: Int64
    /// The figures.
    package var sample: StreamSample

    /// Describes one.
    package init(receivedAt: Int64, time: Int64, capturedAt: Int64, sample: StreamSample) {
        self.receivedAt = receivedAt
        self.time = time
        self.capturedAt = capturedAt
        self.sample = sample
    }
}

/// Samples of one flow, observer and minute in few bytes: column by column, each as it is shortest.
///
/// A version, the number of samples, the number of columns, and the columns: two bytes of the name, the length in bytes,
/// which of the samples have one, and how values follow each other (``Series``). A column that no sample has is not there,
/// and one that the reader does not know is passed over: figures may be added while older servers read. Values are those of
/// ``SampleColumns``; texts are numbers of a list.
package enum SampleChunk {
    /// The first byte.
    package static let version: UInt8 = 1
    /// Most samples in one: one a second makes sixty.
    package static let limit = 4096
    /// Longest name of a codec, and most bytes of a sample's layers; what is longer is absent.
    static let textLimit = 255
    /// Columns in one, whoever has written it.
    private static let columnLimit = 1000

    /// The bytes of samples, in their order; `nil` if there are none, or more than ``limit``.
    package static func bytes(_ samples: [ChunkSample]) -> [UInt8]? {
        guard (1...limit).contains(samples.count) else { return nil }
        let columns = columns(of: samples)
        var bytes = [version]
        Varint.append(UInt64(samples.count), to: &bytes)
        Varint.append(UInt64(columns.count), to: &bytes)
        for (id, content) in columns {
            bytes.append(UInt8(truncatingIfNeeded: id))
            bytes.append(UInt8(truncatingIfNeeded: id >> 8))
            Varint.append(UInt64(content.count), to: &bytes)
            bytes += content
        }
        return bytes
    }

    /// The samples of a chunk, in their order; `nil` if the bytes are none.
    ///
    /// What a figure cannot be is absent.
    package static func samples(_ bytes: [UInt8]) -> [ChunkSample]? {
        var reader = ByteReader(bytes[...])
        guard reader.byte() == version, let count = reader.number(), (1...UInt64(limit)).contains(count),
            let columns = columns(&reader)
        else { return nil }
        let contents = Contents(columns: columns, count: Int(count))
        guard let received = contents.series(Name.received), let delays = contents.series(Name.delay),
            let ages = contents.series(Name.age), let figures = contents.figures(),
            let audioCodecs = contents.texts(Name.audioCodec),
            let videoCodecs = contents.texts(Name.videoCodec),
            let layers = contents.blobs(Name.layers)
        else { return nil }
        return (0..<Int(count)).map { index in
            var next = 0
            var sample = SampleColumns.read {
                defer { next += 1 }
                return figures[next]?[index]
            }
            sample.add(
                audioCodec: audioCodecs[index], videoCodec: videoCodecs[index],
                layers: layers[index].flatMap { LayerBlob.layers(Array($0)) })
            let receivedAt = received[index] ?? 0
            let time = receivedAt &- (delays[index] ?? 0)
            return ChunkSample(
                receivedAt: receivedAt, time: time, capturedAt: time &- (ages[index] ?? 0), sample: sample)
        }
    }

    /// Names beside those of ``SampleColumns``.
    enum Name {
        static let received = "received_at"
        /// From when it was measured to when it came.
        static let delay = "delay"
        /// From the clock of the measuring end to the server's.
        static let age = "clock"
        static let audioCodec = "a_codec"
        static let videoCodec = "v_codec"
        static let layers = "v_layers"
        static let all = [received, delay, age, audioCodec, videoCodec, layers]
    }

    /// What stands for a name: no two have the same, which a test sees to.
    static func id(_ name: String) -> UInt16 {
        var hash: UInt32 = 0x811c_9dc5
        for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return UInt16(truncatingIfNeeded: hash ^ (hash >> 16))
    }

    static let figureIDs = SampleColumns.all.map { id($0.name) }
}

// MARK: - Columns

extension SampleChunk {
    private static func columns(of samples: [ChunkSample]) -> [(id: UInt16, content: [UInt8])] {
        var columns: [(id: UInt16, content: [UInt8])] = []
        func add(_ id: UInt16, _ content: [UInt8]?) {
            if let content { columns.append((id, content)) }
        }
        add(id(Name.received), Series.bytes(samples.map(\.receivedAt)))
        add(id(Name.delay), Series.bytes(samples.map { $0.receivedAt &- $0.time }))
        add(id(Name.age), Series.bytes(samples.map { $0.time &- $0.capturedAt }))
        var figures = [[Int64?]](repeating: [], count: SampleColumns.all.count)
        for sample in samples {
            var next = 0
            SampleColumns.write(sample.sample) { code in
                figures[next].append(code)
                next += 1
            }
        }
        for (id, codes) in zip(figureIDs, figures) { add(id, Series.bytes(codes)) }
        add(id(Name.audioCodec), Texts.bytes(samples.map { $0.sample.audio?.codec.map { Array($0.utf8) } }))
        add(id(Name.videoCodec), Texts.bytes(samples.map { $0.sample.video?.codec.map { Array($0.utf8) } }))
        add(id(Name.layers), Texts.bytes(samples.map { $0.sample.video?.layers.map(LayerBlob.bytes) }))
        return columns
    }

    /// `nil` if they are not what follows, all of it and nothing else.
    private static func columns(_ reader: inout ByteReader) -> [UInt16: ArraySlice<UInt8>]? {
        guard let count = reader.number(), count <= UInt64(columnLimit) else { return nil }
        var columns: [UInt16: ArraySlice<UInt8>] = [:]
        for _ in 0..<count {
            guard let low = reader.byte(), let high = reader.byte(), let content = reader.slice() else {
                return nil
            }
            columns[UInt16(low) | UInt16(high) << 8] = content
        }
        return reader.isAtEnd ? columns : nil
    }

    /// The columns of a chunk, as values for each sample.
    private struct Contents {
        let columns: [UInt16: ArraySlice<UInt8>]
        let count: Int

        func series(_ name: String) -> [Int64?]? { series(SampleChunk.id(name)) }

        /// `nil` if it cannot be read.
        private func series(_ id: UInt16) -> [Int64?]? {
            guard let content = columns[id] else { return Array(repeating: nil, count: count) }
            return Series.values(content, count)
        }

        /// `nil` if one cannot be read, and no values for one that is not there.
        func figures() -> [[Int64?]?]? {
            var all: [[Int64?]?] = []
            for id in SampleChunk.figureIDs {
                guard columns[id] != nil else {
                    all.append(nil)
                    continue
                }
                guard let values = series(id) else { return nil }
                all.append(values)
            }
            return all
        }

        func blobs(_ name: String) -> [ArraySlice<UInt8>?]? {
            guard let content = columns[SampleChunk.id(name)] else {
                return Array(repeating: nil, count: count)
            }
            return Texts.values(content, count)
        }

        func texts(_ name: String) -> [String?]? {
            blobs(name).map { blobs in blobs.map { $0.flatMap { String(validating: $0, as: UTF8.self) } } }
        }
    }
}

/// Integers that follow each other: which of the samples have one, then the first, and of the others what they differ by
/// from what was to be expected.
private enum Series {
    /// What is expected of the next value.
    private enum Kind: UInt8 {
        /// The same as before, for as long as there are any; nothing is written but the first.
        case constant = 0
        /// The same as before.
        case steps = 1
        /// As much more than before as that was more than the one before it.
        case changes = 2
    }

    /// Set beside the kind if some samples have none: a bit for each says which.
    private static let isSparse: UInt8 = 0x80

    /// `nil` if none of them is there.
    static func bytes(_ values: [Int64?]) -> [UInt8]? {
        let there = values.compactMap(\.self)
        guard let first = there.first else { return nil }
        let sparse = there.count < values.count
        var (kind, body): (Kind, [UInt8]) = (.constant, [])
        if there.contains(where: { $0 != first }) {
            let steps = differences(there, .steps)
            let changes = differences(there, .changes)
            (kind, body) = steps.count <= changes.count ? (.steps, steps) : (.changes, changes)
        }
        var bytes = [kind.rawValue | (sparse ? isSparse : 0)]
        if sparse { bytes += bits(values) }
        Varint.append(signed: first, to: &bytes)
        return bytes + body
    }

    private static func bits(_ values: [Int64?]) -> [UInt8] {
        var bits = [UInt8](repeating: 0, count: (values.count + 7) / 8)
        for (index, value) in values.enumerated() where value != nil {
            bits[index / 8] |= 1 << UInt8(index % 8)
        }
        return bits
    }

    /// Of every value but the first.
    ///
    /// What overflows comes round, and back when it is read.
    private static func differences(_ values: [Int64], _ kind: Kind) -> [UInt8] {
        var bytes: [UInt8] = []
        var (last, step): (Int64, Int64) = (values.first ?? 0, 0)
        for value in values.dropFirst() {
            let new = value &- last
            Varint.append(signed: kind == .changes ? new &- step : new, to: &bytes)
            (last, step) = (value, new)
        }
        return bytes
    }

    /// `nil` if the bytes are none, or not those of as many samples.
    static func values(_ bytes: ArraySlice<UInt8>, _ count: Int) -> [Int64?]? {
        var reader = ByteReader(bytes)
        guard let head = reader.byte(), let kind = Kind(rawValue: head & ~isSparse) else { return nil }
        var isThere = [Bool](repeating: true, count: count)
        if head & isSparse != 0 {
            guard let bits = reader.take((count + 7) / 8) else { return nil }
            isThere = (0..<count).map { bits[bits.startIndex + $0 / 8] & (1 << UInt8($0 % 8)) != 0 }
        }
        guard let first = reader.signed() else { return nil }
        var (last, step, isFirst): (Int64, Int64, Bool) = (first, 0, true)
        var values: [Int64?] = []
        values.reserveCapacity(count)
        for isThere in isThere {
            guard isThere else {
                values.append(nil)
                continue
            }
            if !isFirst, kind != .constant {
                guard let difference = reader.signed() else { return nil }
                step = kind == .changes ? step &+ difference : difference
                last = last &+ step
            }
            isFirst = false
            values.append(last)
        }
        return reader.isAtEnd ? values : nil
    }
}

/// Texts, or other bytes: a list of the different ones, and for each sample its place in it.
private enum Texts {
    /// `nil` if none of them is there; what is longer than ``SampleChunk/textLimit`` is absent.
    static func bytes(_ texts: [[UInt8]?]) -> [UInt8]? {
        var places: [[UInt8]: Int64] = [:]
        var list: [[UInt8]] = []
        let numbers = texts.map { text -> Int64? in
            guard let text, text.count <= SampleChunk.textLimit else { return nil }
            if let place = places[text] { return place }
            places[text] = Int64(list.count)
            list.append(text)
            return Int64(list.count - 1)
        }
        guard let series = Series.bytes(numbers) else { return nil }
        var bytes: [UInt8] = []
        Varint.append(UInt64(list.count), to: &bytes)
        for text in list {
            Varint.append(UInt64(text.count), to: &bytes)
            bytes += text
        }
        return bytes + series
    }

    /// `nil` if the bytes are none, or not those of as many samples.
    static func values(_ bytes: ArraySlice<UInt8>, _ count: Int) -> [ArraySlice<UInt8>?]? {
        var reader = ByteReader(bytes)
        guard let length = reader.number(), length <= UInt64(count) else { return nil }
        var list: [ArraySlice<UInt8>] = []
        for _ in 0..<length {
            guard let text = reader.slice(upTo: SampleChunk.textLimit) else { return nil }
            list.append(text)
        }
        guard let rest = reader.take(reader.left), let places = Series.values(rest, count) else { return nil }
        return places.map { place in
            place.flatMap { Int(exactly: $0) }.flatMap { list.indices.contains($0) ? list[$0] : nil }
        }
    }
}
