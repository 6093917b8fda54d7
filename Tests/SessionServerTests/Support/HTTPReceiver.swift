// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import TestSupport

/// A server, such as a collector or a webhook's, that keeps what it is sent, and answers as configured.
struct HTTPReceiver {
    struct Request: Sendable {
        var path: String
        var headers: [String: String]
        var body: [UInt8]

        /// Of a webhook's call; empty if it has none.
        var signature: String { headers["sightline-signature"] ?? "" }
    }

    enum Answer: Sendable {
        case status(Int)
        case body(String)
        /// None, until the receiver is stopped.
        case nothing
    }

    let port: Int
    let requests: AsyncStream<Request>
    private let continuation: AsyncStream<Request>.Continuation
    private let services: ServiceGroup
    private let serving: Task<Void, any Error>

    /// - Parameters:
    ///   - answers: The first ones; those after them are 200 with an empty object.
    ///   - end: How the paths end that get them; others are taken.
    static func start(_ answers: [Answer] = [], at end: String = "") async throws -> HTTPReceiver {
        let (requests, continuation) = AsyncStream<Request>.makeStream()
        let (ports, ready) = AsyncStream<Int>.makeStream()
        let plan = Plan(answers)
        let router = Router()
        for method in [HTTPRequest.Method.get, .post] {
            router.on("**", method: method) { request, _ in
                let body = try await request.body.collect(upTo: 1 << 22)
                let headers = request.headers.map { ($0.name.canonicalName, $0.value) }
                continuation.yield(
                    Request(
                        path: request.uri.path, headers: .init(headers) { $1 },
                        body: Array(body.readableBytesView)))
                let answer = request.uri.path.hasSuffix(end) ? await plan.next() : .body("{}")
                return try await answer.response
            }
        }
        var logger = Logger(label: "receiver")
        logger.logLevel = .critical
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in ready.yield(channel.localAddress?.port ?? 0) }, logger: logger)
        let services = ServiceGroup(configuration: .init(services: [application], logger: logger))
        let serving = Task { try await services.run() }
        var iterator = ports.makeAsyncIterator()
        return HTTPReceiver(
            port: await iterator.next() ?? 0, requests: requests, continuation: continuation,
            services: services, serving: serving)
    }

    /// The next requests, up to the first that is the one.
    func next(until isLast: @escaping @Sendable (Request) -> Bool) async throws -> [Request] {
        try await within(.seconds(60), "a request") {
            var next: [Request] = []
            for await request in requests {
                next.append(request)
                if isLast(request) { break }
            }
            return next
        }
    }

    /// The next requests, as many as that.
    func next(_ count: Int) async throws -> [Request] {
        try await within(.seconds(60), "\(count) requests") {
            var next: [Request] = []
            for await request in requests {
                next.append(request)
                if next.count == count { break }
            }
            return next
        }
    }

    /// Gracefully: a connection that is accepted just when its server is cancelled is a precondition failure of NIO.
    ///
    /// - Returns: What has come and was not looked at.
    @discardableResult
    func stop() async -> [Request] {
        await services.triggerGracefulShutdown()
        _ = try? await serving.value
        continuation.finish()
        return await requests.reduce(into: []) { $0.append($1) }
    }

    private actor Plan {
        private var left: [Answer]

        init(_ answers: [Answer]) { left = answers }

        func next() -> Answer { left.isEmpty ? .body("{}") : left.removeFirst() }
    }
}

extension HTTPReceiver.Answer {
    fileprivate var response: Response {
        get async throws {
            switch self {
            case .status(let status):
                return Response(
                    status: .init(code: status),
                    headers: (300..<400).contains(status) ? [.location: "/elsewhere"] : [:])
            case .body(let text):
                return Response(
                    status: .ok, headers: [.contentType: "application/json"],
                    body: .init(byteBuffer: ByteBuffer(string: text)))
            case .nothing:
                try await gracefulShutdown()
                return Response(status: .ok)
            }
        }
    }
}
