// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Samples as a log has them, in the order in which they came: all that is needed to store them later.
///
/// A version, when they came, their number, and the columns that any of them has by the names of ``SampleChunk``. Of each
/// sample: flow, observer, times, mark, which of the columns it has, those, and its texts. A column that the reader does not
/// know is passed over.
package enum SampleBatch {
    /// A sample that is to be stored.
    package struct Entry: Sendable, Equatable {
        /// The store's number for its flow.
        package var flow: Int64
        /// Who measured it.
        package var observer: Observer
        /// What distinguishes it from others of its moment, see ``EventMark/event``.
        package var event: Int64
        /// Times and figures.
        package var sample: ChunkSample

        /// Describes one.
        package init(flow: Int64, observer: Observer, event: Int64, sample: ChunkSample) {
            self.flow = flow
            self.observer = observer
            self.event = event
            self.sample = sample
        }
    }

    /// The first byte.
    package static let version: UInt8 = 1
    /// Most samples in one, whoever has written it.
    private static let limit = 1 << 20

    /// Bits that say which texts follow.
    private enum Text {
        static let audioCodec: UInt8 = 1
        static let videoCodec: UInt8 = 2
        static let layers: UInt8 = 4
    }

    /// The bytes of samples that came together.
    ///
    /// - Parameter receivedAt: When, Unix ms; counts for all of them.
    package static func bytes(_ entries: [Entry], receivedAt: Int64) -> [UInt8] {
        let width = SampleColumns.all.count
        var codes: [Int64?] = []
        codes.reserveCapacity(entries.count * width)
        for entry in entries { SampleColumns.write(entry.sample.sample) { codes.append($0) } }
        let used = (0..<width).filter { column in
            stride(from: column, to: codes.count, by: width).contains { codes[$0] != nil }
        }
        var bytes = [version]
        bytes.reserveCapacity(64 + 2 * used.count + 64 * entries.count)
        Varint.append(signed: receivedAt, to: &bytes)
        Varint.append(UInt64(entries.count), to: &bytes)
        Varint.append(UInt64(used.count), to: &bytes)
        for column in used {
            let id = SampleChunk.figureIDs[column]
            bytes.append(UInt8(truncatingIfNeeded: id))
            bytes.append(UInt8(truncatingIfNeeded: id >> 8))
        }
        for (index, entry) in entries.enumerated() {
            append(entry, receivedAt, to: &bytes)
            append(used, codes[(index * width)..<((index + 1) * width)], to: &bytes)
            append(texts: entry.sample.sample, to: &bytes)
        }
        return bytes
    }

    private static func append(_ entry: Entry, _ receivedAt: Int64, to bytes: inout [UInt8]) {
        Varint.append(signed: entry.flow, to: &bytes)
        bytes.append(UInt8(truncatingIfNeeded: entry.observer.rawValue))
        Varint.append(signed: receivedAt &- entry.sample.time, to: &bytes)
        Varint.append(signed: entry.sample.time &- entry.sample.capturedAt, to: &bytes)
        for shift in stride(from: Int64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: entry.event >> shift))
        }
    }

    private static func append(_ used: [Int], _ codes: ArraySlice<Int64?>, to bytes: inout [UInt8]) {
        let mask = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: (used.count + 7) / 8))
        for (place, column) in used.enumerated() {
            guard let code = codes[codes.startIndex + column] else { continue }
            bytes[mask + place / 8] |= 1 << UInt8(place % 8)
            Varint.append(signed: code, to: &bytes)
        }
    }

    private static func append(texts sample: StreamSample, to bytes: inout [UInt8]) {
        let flags = bytes.count
        bytes.append(0)
        func append(_ flag: UInt8, _ text: some Collection<UInt8>) {
            guard text.count <= SampleChunk.textLimit else { return }
            bytes[flags] |= flag
            Varint.append(UInt64(text.count), to: &bytes)
            bytes.append(contentsOf: text)
        }
        if let codec = sample.audio?.codec { append(Text.audioCodec, codec.utf8) }
        if let codec = sample.video?.codec { append(Text.videoCodec, codec.utf8) }
        if let layers = sample.video?.layers { append(Text.layers, LayerBlob.bytes(layers)) }
    }
}

// MARK: - Reading

extension SampleBatch {
    private static let places = Dictionary(
        SampleChunk.figureIDs.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })

    /// The samples of a batch, in their order; `nil` if the bytes are none.
    package static func entries(_ bytes: [UInt8]) -> [Entry]? {
        var reader = ByteReader(bytes[...])
        guard reader.byte() == version, let receivedAt = reader.signed(), let count = reader.number(),
            count <= UInt64(limit), let columns = columns(&reader)
        else { return nil }
        var entries: [Entry] = []
        for _ in 0..<count {
            guard let entry = entry(&reader, receivedAt, columns) else { return nil }
            entries.append(entry)
        }
        return reader.isAtEnd ? entries : nil
    }

    /// The place of each among ``SampleColumns/all``; `nil` for one that is not known.
    private static func columns(_ reader: inout ByteReader) -> [Int?]? {
        guard let count = reader.number(), count <= 1000 else { return nil }
        var columns: [Int?] = []
        for _ in 0..<count {
            guard let low = reader.byte(), let high = reader.byte() else { return nil }
            columns.append(places[UInt16(low) | UInt16(high) << 8])
        }
        return columns
    }

    private static func entry(_ reader: inout ByteReader, _ receivedAt: Int64, _ columns: [Int?]) -> Entry? {
        guard let flow = reader.signed(), let byte = reader.byte(),
            let observer = Observer(rawValue: Int64(byte)), let delay = reader.signed(),
            let age = reader.signed(), let mark = reader.take(8),
            var sample = figures(&reader, columns), addTexts(to: &sample, &reader)
        else { return nil }
        let event = mark.reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let time = receivedAt &- delay
        return Entry(
            flow: flow, observer: observer, event: event,
            sample: .init(receivedAt: receivedAt, time: time, capturedAt: time &- age, sample: sample))
    }

    private static func figures(_ reader: inout ByteReader, _ columns: [Int?]) -> StreamSample? {
        guard let mask = reader.take((columns.count + 7) / 8) else { return nil }
        var codes = [Int64?](repeating: nil, count: SampleColumns.all.count)
        for (place, column) in columns.enumerated()
        where mask[mask.startIndex + place / 8] & (1 << UInt8(place % 8)) != 0 {
            guard let code = reader.signed() else { return nil }
            if let column { codes[column] = code }
        }
        var next = 0
        return SampleColumns.read {
            defer { next += 1 }
            return codes[next]
        }
    }

    private static func addTexts(to sample: inout StreamSample, _ reader: inout ByteReader) -> Bool {
        guard let flags = reader.byte() else { return false }
        func slice(_ flag: UInt8) -> ArraySlice<UInt8>?? {
            guard flags & flag != 0 else { return .some(nil) }
            return reader.slice(upTo: SampleChunk.textLimit).map { Optional($0) }
        }
        guard let audio = slice(Text.audioCodec), let video = slice(Text.videoCodec),
            let layers = slice(Text.layers)
        else { return false }
        sample.add(
            audioCodec: audio.flatMap { String(validating: $0, as: UTF8.self) },
            videoCodec: video.flatMap { String(validating: $0, as: UTF8.self) },
            layers: layers.flatMap { LayerBlob.layers(Array($0)) })
        return true
    }
}
