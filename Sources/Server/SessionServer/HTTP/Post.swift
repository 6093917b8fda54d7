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
        /// Its first ``bodyLimit`` bytes, or as many as were asked for.
        var body: Data
        /// Of its head, by their names.
        var fields: [String: String] = [:]

        /// Whether what was posted is taken.
        var isSuccess: Bool { (200..<300).contains(status) }
    }

    /// Bytes of an answer that are kept.
    static let bodyLimit = 1 << 14

    private let answer: AsyncStream<Answer?>.Continuation
    private let body = Mutex(Data())
    private let limit: Int

    private init(_ answer: AsyncStream<Answer?>.Continuation, _ limit: Int) {
        self.answer = answer
        self.limit = limit
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
    /// - Parameters:
    ///   - limit: For everything: a timeout of the request's own begins again with each byte that comes.
    ///   - bytes: Most of the body that is kept.
    static func answer(
        to request: URLRequest, within limit: Duration = .seconds(10), upTo bytes: Int = bodyLimit
    ) async -> Answer? {
        let (answers, answer) = AsyncStream<Answer?>.makeStream()
        let session = URLSession(configuration: .ephemeral, delegate: Post(answer, bytes), delegateQueue: nil)
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
        body.withLock { $0.append(data.prefix(limit - $0.count)) }
    }

    func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError _: (any Error)?) {
        let response = task.response as? HTTPURLResponse
        let fields = response?.allHeaderFields.reduce(into: [String: String]()) { fields, field in
            if let name = field.key as? String { fields[name.lowercased()] = field.value as? String }
        }
        answer.yield(
            response.map { Answer(status: $0.statusCode, body: body.withLock { $0 }, fields: fields ?? [:]) })
        answer.finish()
    }
}
