// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import Testing

@testable import SessionServer

@Suite("Requests to other servers", .timeLimit(.minutes(3)))
struct OutgoingRequestTests {
    @Test(
        "may be given up at any moment of theirs, by a deadline or with their task", arguments: Seed.draw(1))
    func givenUp(seed: UInt64) async throws {
        let server = try await HTTPReceiver.start()
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/hook"))
        var random = SeededRandom(seed: seed)
        let answers = await withTaskGroup(of: Bool.self) { group in
            var answers: [Bool: Int] = [:]
            for number in 0..<2000 {
                let moment = Duration.microseconds(100 + random.next(30_000))
                if number >= 4, let isAnswered = await group.next() { answers[isAnswered, default: 0] += 1 }
                group.addTask {
                    let request = OutgoingRequest(posting: Data("{}".utf8), to: url)
                    guard number.isMultiple(of: 2) else { return await request.answer(within: moment) != nil }
                    let task = Task { await request.answer() }
                    try? await Task.sleep(for: moment)
                    task.cancel()
                    return await task.value != nil
                }
            }
            return answers
        }
        // Both come about, or it would show nothing.
        #expect(answers.count == 2)
        // And the next one is answered.
        #expect(await OutgoingRequest(posting: Data(), to: url).answer()?.isSuccess == true)
        await server.stop()
    }

    @Test("that cannot be made, and those of whose answer too much comes")
    func refused() async throws {
        for address in ["ftp://127.0.0.1/", "nonsense", "http://127.0.0.1:1/"] {
            let url = try #require(URL(string: address))
            // At once, not when its time is over.
            #expect(await OutgoingRequest(url).answer(within: .seconds(300)) == nil)
        }
        let server = try await HTTPReceiver.start(
            [.body(String(repeating: "a", count: 100_000))], at: "/hook")
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/hook"))
        let answer = await OutgoingRequest(posting: Data(), to: url).answer(upTo: 1000)
        #expect(answer?.status == 200)
        #expect(answer?.body == Data(repeating: 0x61, count: 1000))
        let unsendable = OutgoingRequest(posting: Data(), to: url, headers: ["a": "b\r\nc: d"])
        #expect(await unsendable.answer() == nil)
        await server.stop()
    }
}
