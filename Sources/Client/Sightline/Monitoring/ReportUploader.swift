// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import SessionWire
import WebRTCStats

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends a monitor's reports to a server that observes the call.
///
/// Without addresses. What waits while the server is out of reach is bounded; the oldest is omitted.
final class ReportUploader: Sendable {
    /// Sends a request and gives the status of the answer.
    typealias Post = @Sendable (URLRequest) async throws -> Int

    /// Most reports that wait.
    private static let queueLimit = 240
    /// Most reports of one request, and most bytes: the server takes 64, and 256 KB.
    private static let (batchLimit, batchBytes) = (32, 200_000)
    private static let interval: Duration = .seconds(1)
    private static let longestPause: Duration = .seconds(20)

    private struct Entry {
        var number: Int
        /// As it is sent, but for ``tags``.
        var json: [UInt8]
        /// What is said of tracks from this one on, as JSON; `nil` while nothing was ever said, and of what is closed.
        var tags: [UInt8]?

        var count: Int { json.count + (tags?.count ?? 0) }
    }

    private struct Waiting {
        var redactor = StatsRedactor()
        var reports: [Entry] = []
        var count = 0
        /// The source whose reports come.
        var source: Int?
        var tags: [UInt8]?

        mutating func add(_ json: [UInt8], tags: [UInt8]? = nil) {
            count += 1
            reports.append(Entry(number: count, json: json, tags: tags))
        }
    }

    private let address: URL
    private let ratings: URL
    private let token: String
    /// The peer connection, by a name that the participant's others do not have.
    private let name = "swift-\(UInt32.random(in: .min ... .max))"
    private let clock: SessionClock
    private let post: Post
    private let waiting = Mutex(Waiting())

    /// - Throws: ``SightlineError`` if the token names no call.
    init(
        to server: URL, token: String, clock: SessionClock, post: @escaping Post = ReportUploader.send
    ) throws(SightlineError) {
        guard let call = Self.call(of: token) else {
            throw SightlineError(.invalidToken, "the token is none of the scope observe")
        }
        let place = server.appending(path: "v1/calls").appending(component: call)
        address = place.appending(path: "reports")
        ratings = place.appending(path: "ratings")
        self.token = token
        self.clock = clock
        self.post = post
    }

    /// Takes a report to be sent, of the source of that number: each is a peer connection of its own.
    func take(_ report: StatsReport, of source: Int) {
        waiting.withLock { waiting in
            if let last = waiting.source, last != source { waiting.add(closed(last)) }
            waiting.source = source
            waiting.add(entry(waiting.redactor.redact(report).json(), of: source), tags: waiting.tags)
            if waiting.reports.count > Self.queueLimit { waiting.reports.removeFirst() }
        }
    }

    /// Says this of tracks with the reports from now on.
    func setTags(_ tags: [String: TrackTag]) {
        let json = try? JSONEncoder().encode(tags)
        waiting.withLock { waiting in
            // What was said counts until something else is.
            guard waiting.tags != nil || !tags.isEmpty else { return }
            waiting.tags = json.map(Array.init)
        }
    }

    /// Sends what is taken until its task is cancelled, or the server refuses the token.
    func run() async {
        var pause = Duration.zero
        while (try? await clock.sleep(for: max(pause, Self.interval))) != nil {
            let batch = next()
            guard let last = batch.last?.number else { continue }
            switch try? await post(request(Self.json(batch))) {
            case .some(200..<300):
                pause = .zero
                drop(upTo: last)
            case .some(401), .some(403): return
            case .some(400), .some(413), .some(429):
                // Not taken, or too much: sent again it would be no better.
                drop(upTo: last)
                pause = min(max(pause * 2, Self.interval), Self.longestPause)
            // Whoever answered may be something between here and the server.
            default: pause = min(max(pause * 2, Self.interval), Self.longestPause)
            }
        }
        // Its own task is cancelled, and with it whatever it waits for.
        let farewell = request(Self.json(next()), isOver: true)
        _ = await Task { [post] in try await post(farewell) }.result
    }

    /// Sends what the participant thinks of the call; tries again where that may help.
    ///
    /// - Throws: ``SightlineError``.
    func rate(_ rating: CallRating) async throws {
        let request = request(ratings, try JSONEncoder().encode(rating))
        var pause = Self.interval
        while true {
            let status = try? await post(request)
            if let status, (200..<300).contains(status) { return }
            guard Self.mayChange(status), pause <= Self.longestRatingPause else { throw Self.refusal(status) }
            do { try await clock.sleep(for: pause) } catch {
                throw SightlineError(.cancelled, "the rating was given up")
            }
            pause *= 2
        }
    }

    /// Longest pause between two tries to send a rating: a person may wait for it.
    private static let longestRatingPause: Duration = .seconds(4)

    /// Whether another try may do better: the participant's first report may not be stored yet.
    private static func mayChange(_ status: Int?) -> Bool {
        status.map { $0 == 404 || $0 == 429 || $0 >= 500 } ?? true
    }

    private static func refusal(_ status: Int?) -> SightlineError {
        switch status {
        case 401?, 403?: SightlineError(.invalidToken, "the server does not take a rating with this token")
        case 404?: SightlineError(.unknownSession, "the server knows nothing of the participant in this call")
        case 429?: SightlineError(.tooMany, "the call is rated too often")
        case let status?: SightlineError(.server, "the server did not take the rating: HTTP \(status)")
        case nil: SightlineError(.connectionFailed, "the server cannot be reached")
        }
    }

    private func next() -> [Entry] {
        waiting.withLock { waiting in
            var bytes = 0
            return Array(
                waiting.reports.prefix(Self.batchLimit).prefix { report in
                    bytes += report.count
                    return bytes <= Self.batchBytes || report.number == waiting.reports.first?.number
                })
        }
    }

    private func drop(upTo number: Int) {
        waiting.withLock { waiting in waiting.reports.removeAll { $0.number <= number } }
    }

    private func request(_ reports: [[UInt8]], isOver: Bool = false) -> URLRequest {
        var entries = reports
        if isOver, let source = waiting.withLock({ $0.source }) { entries.append(closed(source)) }
        var body = Data(#"{"client":"sightline-swift","reports":["#.utf8)
        body.append(contentsOf: entries.joined(separator: ",".utf8))
        body.append(contentsOf: "]}".utf8)
        return request(address, body)
    }

    private func request(_ address: URL, _ body: Data) -> URLRequest {
        var request = URLRequest(url: address, timeoutInterval: 10)
        request.httpMethod = "POST"
        request.httpBody = body
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        return request
    }

    private func entry(_ report: [UInt8], of source: Int) -> [UInt8] {
        #"{"peerConnection":"\#(name)-\#(source)","report":"#.utf8 + report + "}".utf8
    }

    /// Entries as they are sent: what is said of tracks is in the first of a request, since any may be the first that a server
    /// gets, in the first of a peer connection, and where it changes.
    private static func json(_ batch: [Entry]) -> [[UInt8]] {
        var said: [UInt8]?
        return batch.map { entry in
            // After one that is closed another begins.
            defer { said = entry.tags }
            guard let tags = entry.tags, tags != said else { return entry.json }
            return #"{"tracks":"#.utf8 + tags + ",".utf8 + entry.json.dropFirst()
        }
    }

    private func closed(_ source: Int) -> [UInt8] {
        Array(#"{"peerConnection":"\#(name)-\#(source)","closed":true}"#.utf8)
    }

    /// The call that a token names.
    private static func call(of token: String) -> String? {
        struct Claims: Decodable {
            struct Observer: Decodable { var call: String }
            var observer: Observer
        }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var base64 = parts[1].replacing("-", with: "+").replacing("_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
        return Data(base64Encoded: String(base64))
            .flatMap { try? JSONDecoder().decode(Claims.self, from: $0) }?.observer.call
    }

    /// A request is never cancelled, only waited for no longer: on Linux Foundation ends the process, or never answers, if one
    /// is cancelled as its answer comes.
    private static let send: Post = { request in
        let (answers, answer) = AsyncStream<Result<Int, any Error>>.makeStream()
        let task = URLSession.shared.dataTask(with: request) { _, response, error in
            let status = (response as? HTTPURLResponse)?.statusCode ?? 500
            answer.yield(error.map { .failure($0) } ?? .success(status))
            answer.finish()
        }
        task.resume()
        for await answer in answers { return try answer.get() }
        throw CancellationError()
    }
}
