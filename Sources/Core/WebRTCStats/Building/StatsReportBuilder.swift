// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Builds a report entry by entry, straight from an engine's objects.
///
/// Member names are looked up once, with ``key(for:)``. Then, for each object: ``begin(type:id:timestamp:)``,
/// ``set(_:_:)`` for each member that has a value, ``end()``; last of all ``finish()``. No order of calls and no
/// value traps: what a member cannot hold is kept in ``StatsEntry/extra`` and named in ``issues``.
public struct StatsReportBuilder: Sendable {
    /// Most issues that are recorded one by one; ``omittedIssues`` counts the others.
    public static let maximumIssues = 256

    /// What could not be taken as it came, so far; at most ``maximumIssues``.
    public var issues: [ParseIssue] { context.issues }

    /// How many issues beyond ``maximumIssues`` there were.
    public var omittedIssues: Int { context.omittedIssues }

    private(set) var report = StatsReport()
    private var context = EntryContext()
    /// Of the open entry.
    private(set) var kind: EntryKind?

    /// Creates a builder for one report.
    public init() {}

    /// The key of a member name; the same for every type of entry and every builder.
    public static func key(for name: String) -> StatsMemberKey {
        var utf8 = name
        let number = utf8.withUTF8 { MemberIndex.shared.number(of: UnsafeRawBufferPointer($0)) }
        return number == 0 ? StatsMemberKey(unlisted: name) : StatsMemberKey(number: number)
    }

    /// Begins an entry; one that is still open is ended first.
    ///
    /// - Parameters:
    ///   - type: W3C wire name, such as `inbound-rtp`; other names make an ``UnknownStats``.
    ///   - id: Id of the entry, unique in the report.
    ///   - timestamp: Unix time in ms; µs are recognised by their size.
    public mutating func begin(type: String, id: String, timestamp: Double) {
        end()
        let kind = EntryKind(wireName: type)
        self.kind = kind
        context.type = type
        context.id = id
        context.timestamp = StatsTime.milliseconds(timestamp)
        let time = context.settleTimestamp(kind, at: report.count(of: kind))
        report.perform(.append(id: id, timestamp: time), on: kind, &context)
        if kind == .unknown {
            report.unknown[report.unknown.count - 1].type = type
        }
    }

    /// Gives a member of the open entry a value; ignored if no entry is open or the key names `type`, `id` or
    /// `timestamp`.
    ///
    /// A number is converted to its member's type. The last value of a member counts.
    public mutating func set(_ key: borrowing StatsMemberKey, _ value: consuming StatsValue) {
        guard let kind, !key.isReserved else { return }
        if case .uint(let number) = value {
            // Where it fits, an unsigned number is the same as a signed one, also among the extra members.
            value = StatsValue(number)
        }
        if key.number == 0 {
            report.perform(.keep(value, copy key), on: kind, &context)
        } else {
            report.offer(value, number: key.number, in: kind, &context)
        }
    }

    /// Ends the open entry; ignored if none is open.
    public mutating func end() {
        guard let kind else { return }
        report.perform(.settle, on: kind, &context)
        context.reset()
        self.kind = nil
    }

    /// The report; an entry that is still open is ended first.
    public mutating func finish() -> StatsReport {
        end()
        report.settle(&context)
        return report
    }
}
