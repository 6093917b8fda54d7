// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request to another server, which follows no redirect: what is posted is for the one who was named.
///
/// A delegate of the session: on Linux, tasks with a completion handler follow redirects without asking
/// anyone.
final class Post: NSObject, URLSessionDataDelegate {
    struct Answer: Sendable {
        var status: Int
        /// Its first ``bodyLimit`` bytes.
        var body: Data

        /// Whether what was posted is taken.
        var isSuccess: Bool { (200..<300).contains(status) }
    }

    /// Bytes of an answer that are kept.
    static let bodyLimit = 1 << 14

    private let answer: AsyncStream<Answer?>.Continuation
    private let body = Mutex(Data())

    private init(_ answer: AsyncStream<Answer?>.Continuation) {
        self.answer = answer
    }

    /// A request that posts JSON.
    static func request(_ url: URL, json: Data, headers: [String: String] = [:]) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = json
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        return request
    }

    /// Whether what is posted there can be read in transit.
    static func isReadable(to url: URL) -> Bool {
        url.scheme?.lowercased() == "http" && !SitePolicy.isLoopback(url.host() ?? "")
    }

    /// The answer; `nil` without one in time, and when the task is cancelled.
    ///
    /// - Parameter limit: For everything: a timeout of the request's own begins again with each byte that comes.
    static func answer(to request: URLRequest, within limit: Duration = .seconds(10)) async -> Answer? {
        let (answers, answer) = AsyncStream<Answer?>.makeStream()
        let session = URLSession(configuration: .ephemeral, delegate: Post(answer), delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        session.dataTask(with: request).resume()
        let deadline = Task {
            try await Task.sleep(for: limit)
            answer.finish()
        }
        defer { deadline.cancel() }
        for await answer in answers { return answer }
        return nil
    }

    func urlSession(
        _: URLSession, task _: URLSessionTask, willPerformHTTPRedirection _: HTTPURLResponse,
        newRequest _: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_: URLSession, dataTask _: URLSessionDataTask, didReceive data: Data) {
        body.withLock { $0.append(data.prefix(Self.bodyLimit - $0.count)) }
    }

    func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError _: (any Error)?) {
        let status = (task.response as? HTTPURLResponse)?.statusCode
        answer.yield(status.map { Answer(status: $0, body: body.withLock { $0 }) })
        answer.finish()
    }
}
