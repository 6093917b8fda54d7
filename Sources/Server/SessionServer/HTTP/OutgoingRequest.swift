// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// A request to another server.
///
/// It follows no redirect: what is sent, such as a token, is for the one who was named.
package struct OutgoingRequest: Sendable {
    package struct Answer: Sendable {
        package var status: Int
        /// Its first ``OutgoingRequest/bodyLimit`` bytes, or as many as were asked for.
        package var body: Data
        fileprivate var headers: HTTPHeaders

        /// Whether the request was taken.
        package var isSuccess: Bool { (200..<300).contains(status) }

        /// The first field of its head with a name, in whatever case.
        func field(_ name: String) -> String? { headers.first(name: name) }
    }

    /// Bytes of an answer's body that are kept.
    package static let bodyLimit = 1 << 14

    /// For requests that are answered.
    ///
    /// Not URLSession's: on Linux that ends the process if a request is given up while its answer comes.
    private static let client = makeClient(silence: nil)

    /// For events, which keep their connections: no request waits for one of those.
    private static let feedClient = makeClient(silence: .seconds(30))

    /// - Parameter silence: Longest that nothing comes of an answer; a feed has something each five seconds.
    private static func makeClient(silence: TimeAmount?) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10), read: silence))
        // Requests do not wait for each other: each has a deadline of its own.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1000
        configuration.connectionPool.idleTimeout = .seconds(5)
        // A server that is not there is said at once, not when the time to connect is over: whoever asks asks again.
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroup: .singletonMultiThreadedEventLoopGroup, configuration: configuration)
    }

    var url: URL
    var method: String
    var headers: [String: String]
    var body: Data?

    package init(
        _ url: URL, method: String = "GET", headers: [String: String] = [:], body: Data? = nil
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
    }

    /// One that posts JSON.
    package init(posting json: Data, to url: URL, headers: [String: String] = [:]) {
        self.init(url, method: "POST", headers: headers, body: json)
        self.headers["Content-Type"] = "application/json"
    }

    /// Whether what is sent there can be read in transit.
    static func isReadable(to url: URL) -> Bool {
        url.scheme?.lowercased() == "http" && !SitePolicy.isLoopback(url.host() ?? "")
    }

    /// The answer; `nil` without a whole one in time, and when the task is cancelled.
    ///
    /// - Parameters:
    ///   - limit: For everything, however slowly an answer comes.
    ///   - bytes: Most of the body that is kept; what follows is not waited for.
    package func answer(within limit: Duration = .seconds(10), upTo bytes: Int = bodyLimit) async -> Answer? {
        await withTaskGroup(of: Answer?.self) { group in
            group.addTask { try? await self.response(upTo: bytes) }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    private func response(upTo bytes: Int) async throws -> Answer {
        let response = try await execute(by: Self.client)
        var answer = Answer(status: Int(response.status.code), body: Data(), headers: response.headers)
        for try await part in response.body {
            answer.body.append(contentsOf: part.readableBytesView.prefix(bytes - answer.body.count))
            if answer.body.count == bytes { break }
        }
        return answer
    }

    /// Takes each event that comes as an answer, until it ends, no more are wanted, or the task is cancelled; none come if the
    /// request is refused.
    ///
    /// - Parameter take: Whether more are wanted.
    func follow(_ take: (EventReader.Event) throws -> Bool) async throws {
        let response = try await execute(by: Self.feedClient)
        guard response.status == .ok else { return }
        var reader = EventReader()
        for try await part in response.body {
            guard let events = reader.take(part.readableBytesView) else { return }
            for event in events where try !take(event) { return }
        }
    }

    private func execute(by client: HTTPClient) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: url.absoluteString)
        request.method = HTTPMethod(rawValue: method)
        request.headers = ["User-Agent": "sightline"]
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        // The caller has a deadline of its own, which holds for the body too.
        return try await client.execute(request, deadline: .distantFuture)
    }
}
