// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Reads from the HTTP API with a token.
struct HistoryReader: Sendable {
    /// How long the server may say nothing, s: longer than it takes for any answer.
    private static let requestTimeout = 40.0

    let server: URL
    let token: String
    /// Longest answer that is read, bytes.
    private let limit: Int

    /// - Parameter limit: Longest answer that is read, bytes.
    init(server: URL, token: String, limit: Int = MCPCommand.bodyBytes) {
        self.server = server
        self.token = token
        self.limit = limit
    }

    /// What an address of the API answers.
    func answer(_ address: String) async -> MCPProtocol.APIAnswer {
        let whole = server.absoluteString
        let base = whole.hasSuffix("/") ? String(whole.dropLast()) : whole
        guard let url = URL(string: base + address) else { return .failure("The address cannot be formed.") }
        var request = URLRequest(url: url, timeoutInterval: Self.requestTimeout)
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        switch await BoundedRequest(limit: limit).send(request) {
        case .body(let status, let bytes): return .body(status: status, bytes)
        case .tooLong: return .failure("The answer is too long.")
        case .none: return .failure("No answer from \(Self.name(server)): is the server running?")
        }
    }

    /// An address without what may be secret in it.
    private static func name(_ server: URL) -> String {
        "\(server.scheme ?? "")://\(server.host() ?? "")\(server.port.map { ":\($0)" } ?? "")"
    }
}

/// One request, of whose answer no more is read than it may have.
private final class BoundedRequest: NSObject, URLSessionDataDelegate {
    enum Outcome: Sendable {
        case body(status: Int, [UInt8])
        /// It is longer than it may be, and the rest was not read.
        case tooLong
        case none
    }

    private struct State {
        var bytes = Data()
        var waiter: CheckedContinuation<Outcome, Never>?
        /// Whether it has ended, perhaps before anyone waited for it.
        var isOver = false
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// Sends it, once; a task that is cancelled ends it.
    func send(_ request: URLRequest) async -> Outcome {
        // The session keeps its delegate until it is invalid.
        let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
        // It waits until Foundation has taken what came, which has no end where the sender's answer has none.
        defer { DispatchQueue.global().async { session.invalidateAndCancel() } }
        let task = session.dataTask(with: request)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isOver { state.waiter = continuation }
                    return state.isOver
                }
                // Cancelled before there was anyone to wait for it.
                guard !isOver else { return continuation.resume(returning: .none) }
                task.resume()
            }
        } onCancel: {
            finish(.none)
            task.cancel()
        }
    }

    /// A token is for one server: nothing that this one names gets it.
    func urlSession(
        _: URLSession, task _: URLSessionTask, willPerformHTTPRedirection _: HTTPURLResponse,
        newRequest _: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_: URLSession, dataTask task: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = state.withLock { state in
            guard data.count <= limit - state.bytes.count else { return true }
            state.bytes.append(data)
            return false
        }
        guard isTooLong else { return }
        // What comes until the task has ended is not kept, nor waited for.
        finish(.tooLong)
        task.cancel()
    }

    func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        finish(error == nil ? .body(status: status, Array(state.withLock(\.bytes))) : .none)
    }

    /// Says how it has ended; the first time counts.
    private func finish(_ outcome: Outcome) {
        let waiter = state.withLock { state in
            state.isOver = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: outcome)
    }
}
