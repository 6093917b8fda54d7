// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AsyncHTTPClient
import CallModel
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

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

    /// Why there is no answer: nothing of it is of the request, which may be secret.
    package struct NoAnswer: Error, Equatable {
        /// A few words.
        package var reason: String

        static let late = NoAnswer(reason: "no answer in time")
        static let unaskable = NoAnswer(
            reason: "the address is no http or https URL with a host and a port of 1 to 65535")
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

    /// Whether a server can be asked there: by HTTP, with a host, and a port that there is.
    package static func canAsk(_ url: URL) -> Bool {
        // With another port of an IP address NIO ends the process.
        ["http", "https"].contains(url.scheme?.lowercased()) && url.host()?.isEmpty == false
            && (1...65_535).contains(url.port ?? 80)
    }

    /// Whether what is sent there can be read in transit.
    package static func isReadable(to url: URL) -> Bool {
        url.scheme?.lowercased() == "http" && !SitePolicy.isLoopback(url.host() ?? "")
    }

    /// The answer; `nil` without a whole one in time, and when the task is cancelled.
    ///
    /// - Parameters:
    ///   - limit: For everything, however slowly an answer comes.
    ///   - bytes: Most of the body that is kept; what follows is not waited for.
    package func answer(within limit: Duration = .seconds(10), upTo bytes: Int = bodyLimit) async -> Answer? {
        try? await outcome(within: limit, upTo: bytes).get()
    }

    /// The same, with why there is none.
    package func outcome(
        within limit: Duration = .seconds(10), upTo bytes: Int = bodyLimit
    ) async -> Result<Answer, NoAnswer> {
        await withTaskGroup(of: Result<Answer, NoAnswer>.self) { group in
            group.addTask {
                do { return .success(try await self.response(upTo: bytes)) } catch {
                    return .failure(NoAnswer(error))
                }
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return .failure(.late)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.late)
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
        // Addresses of other servers come from a database, which no one has looked through.
        guard Self.canAsk(url) else { throw NoAnswer.unaskable }
        var request = HTTPClientRequest(url: url.absoluteString)
        request.method = HTTPMethod(rawValue: method)
        request.headers = ["User-Agent": "sightline"]
        if let user = url.user(percentEncoded: false) {
            request.setBasicAuth(username: user, password: url.password(percentEncoded: false) ?? "")
        }
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        // The caller has a deadline of its own, which holds for the body too.
        return try await client.execute(request, deadline: .distantFuture)
    }
}

extension OutgoingRequest.NoAnswer {
    fileprivate init(_ error: any Error) { reason = Self.words(error).cut(toBytes: 300) }

    private static func words(_ error: any Error) -> String {
        switch error {
        case let error as Self: return error.reason
        case let error as NIOConnectionError:
            // Of the addresses that its name has.
            guard let first = error.connectionErrors.first else { return "its name is not found (DNS)" }
            return words(first.error)
        case let error as IOError:
            return error.errnoCode == ECONNREFUSED ? "it refused the connection" : "no connection: \(error)"
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: return "TLS: \(error)"
        case let error as HTTPClientError where [.connectTimeout, .readTimeout].contains(error):
            return late.reason
        // Not its description, which has what was sent.
        case let error as HTTPClientError: return "HTTP: \(error.shortDescription)"
        default: return "\(type(of: error))"
        }
    }
}
