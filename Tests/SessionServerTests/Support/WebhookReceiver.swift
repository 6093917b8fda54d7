// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import TestSupport

/// An HTTP server that takes what is posted to it, and answers as configured.
struct WebhookReceiver {
    struct Post: Sendable {
        var signature: String
        var body: [UInt8]
    }

    let port: Int
    let posts: AsyncStream<Post>
    private let serving: Task<Void, any Error>

    /// - Parameter statuses: Of the first answers; those after them are 200.
    static func start(statuses: [Int]) async throws -> WebhookReceiver {
        let (posts, continuation) = AsyncStream<Post>.makeStream()
        let (ports, ready) = AsyncStream<Int>.makeStream()
        let answers = Answers(statuses)
        let router = Router()
        router.post("hook") { request, _ in
            let body = try await request.body.collect(upTo: 1 << 16)
            let field = request.headers.first { $0.name.canonicalName == "sightline-signature" }
            continuation.yield(Post(signature: field?.value ?? "", body: Array(body.readableBytesView)))
            let status = await answers.next()
            return Response(
                status: .init(code: status),
                headers: (300..<400).contains(status) ? [.location: "/other"] : [:])
        }
        for method in [HTTPRequest.Method.get, .post] {
            router.on("other", method: method) { _, _ in
                continuation.yield(Post(signature: "redirected", body: []))
                return Response(status: .ok)
            }
        }
        var logger = Logger(label: "receiver")
        logger.logLevel = .critical
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in ready.yield(channel.localAddress?.port ?? 0) }, logger: logger)
        let serving = Task { try await application.run() }
        var iterator = ports.makeAsyncIterator()
        return WebhookReceiver(port: await iterator.next() ?? 0, posts: posts, serving: serving)
    }

    /// The next posts, as many as that.
    func next(_ count: Int) async throws -> [Post] {
        try await within(.seconds(60), "\(count) posts") {
            var next: [Post] = []
            for await post in posts {
                next.append(post)
                if next.count == count { break }
            }
            return next
        }
    }

    func stop() async throws {
        serving.cancel()
        _ = try? await serving.value
    }

    private actor Answers {
        private var left: [Int]

        init(_ statuses: [Int]) { left = statuses }

        func next() -> Int { left.isEmpty ? 200 : left.removeFirst() }
    }
}
