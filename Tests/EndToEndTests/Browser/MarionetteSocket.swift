// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Synchronization

/// Marionette's messages over TCP: the length in digits, a colon, and JSON.
///
/// Commands are `[0, id, name, parameters]`, answers `[1, id, error, result]`.
final class MarionetteSocket: Sendable {
    private struct State {
        var lastID = 0
        var waiting: [Int: CheckedContinuation<Data, any Error>] = [:]
        var greeting: CheckedContinuation<Data, any Error>?
        var isGreeted = false
        var isOver = false
    }

    private struct Answer<Result: Decodable>: Decodable {
        struct Refusal: Decodable {
            var error: String
            var message: String
        }
        var id: Int
        var error: Refusal?
        var result: Result?

        init(from decoder: any Decoder) throws {
            var array = try decoder.unkeyedContainer()
            _ = try array.decode(Int.self)
            id = try array.decode(Int.self)
            error = try array.decodeIfPresent(Refusal.self)
            result = error == nil ? try? array.decode(Result.self) : nil
        }
    }

    private struct Nothing: Decodable {}

    private let descriptor: Int32
    private let state = Mutex(State())

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { [descriptor] in
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Firefox.Failure(description: "no connection: \(errno)") }
        Thread.detachNewThread { [self] in read() }
    }

    deinit { Glibc.close(descriptor) }

    /// Waits for the browser's greeting.
    func begin() async throws {
        _ = try await withCheckedThrowingContinuation { continuation in
            let isGreeted = state.withLock { state in
                if !state.isGreeted { state.greeting = continuation }
                return state.isGreeted
            }
            if isGreeted { continuation.resume(returning: Data()) }
        }
    }

    /// Sends a command and returns its answer.
    func call(_ command: String, _ parameters: String) async throws {
        _ = try await answer(command, parameters, as: Nothing.self)
    }

    func call<Result: Decodable>(
        _ command: String, _ parameters: String, as _: Result.Type
    ) async throws -> Result {
        guard let result = try await answer(command, parameters, as: Result.self).result else {
            throw Firefox.Failure(description: "\(command): no result")
        }
        return result
    }

    private func answer<Result: Decodable>(
        _ command: String, _ parameters: String, as _: Result.Type
    ) async throws -> Answer<Result> {
        let data = try await withCheckedThrowingContinuation { continuation in
            let id = state.withLock { state in
                state.lastID += 1
                state.waiting[state.lastID] = continuation
                return state.lastID
            }
            let text = #"[0,\#(id),"\#(command)",\#(parameters)]"#
            write(Data("\(text.utf8.count):\(text)".utf8))
        }
        let answer = try JSONDecoder().decode(Answer<Result>.self, from: data)
        if let error = answer.error {
            throw Firefox.Failure(description: "\(command): \(error.error): \(error.message)")
        }
        return answer
    }

    private func write(_ data: Data) {
        var rest = data
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private func read() {
        var rest = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            rest.append(contentsOf: buffer.prefix(count))
            while let colon = rest.firstIndex(of: UInt8(ascii: ":")),
                let length = Int(String(decoding: rest[rest.startIndex..<colon], as: UTF8.self)),
                rest.distance(from: colon, to: rest.endIndex) > length
            {
                let body = rest[rest.index(after: colon)...].prefix(length)
                take(Data(body))
                rest = Data(rest[body.endIndex...])
            }
        }
        let waiting = state.withLock { state in
            defer { (state.waiting, state.greeting, state.isOver) = ([:], nil, true) }
            return Array(state.waiting.values) + [state.greeting].compactMap(\.self)
        }
        for continuation in waiting { continuation.resume(throwing: Firefox.Failure(description: "gone")) }
    }

    private func take(_ message: Data) {
        let continuation = state.withLock { state -> CheckedContinuation<Data, any Error>? in
            guard let id = (try? JSONDecoder().decode(Answer<Nothing>.self, from: message))?.id else {
                defer { (state.greeting, state.isGreeted) = (nil, true) }
                return state.greeting
            }
            return state.waiting.removeValue(forKey: id)
        }
        continuation?.resume(returning: message)
    }
}
