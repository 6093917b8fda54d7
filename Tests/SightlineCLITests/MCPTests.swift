// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import ArgumentParser
import Foundation
import Testing
import WebRTCStats

@testable import SightlineCLI

@Suite("The protocol of questions about calls")
struct MCPTests {
    private static let meta =
        #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#

    private static let refusals: [(line: String, code: Int)] = [
        ("", -32700), ("{", -32700), ("\u{FFFD}", -32700), ("[]", -32600), ("7", -32600), ("{}", -32600),
        (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":1}"#, -32600), (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
        (#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":7}}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{\#(Self.meta)}}"#, -32601),
        (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{\#(Self.meta)}}"#, -32601),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x",\#(Self.meta)}}"#,
            -32602
        ),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{\#(Self.meta)}}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no",\#(Self.meta)}}"#, -32602),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_sessions","arguments":[],\#(Self.meta)}}"#,
            -32602
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
            -32602
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}}"#,
            -32022
        ),
    ]

    private var core = MCPProtocol(version: "1.2.3")

    /// What a line is answered; `nil` if it is not.
    private mutating func answer(_ line: String) throws -> StatsValue? {
        guard case .answer(let text) = core.take(Array(line.utf8)) else { return nil }
        #expect(!text.contains("\n"))
        return try StatsValue.parse(Array(text.utf8))
    }

    private mutating func call(_ tool: String, _ arguments: String) -> MCPProtocol.Outcome {
        core.take(
            Array(
                #"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments),\#(Self.meta)}}"#
                    .utf8))
    }

    private mutating func address(_ tool: String, _ arguments: String) throws -> String? {
        guard case .ask(let call) = call(tool, arguments) else { return nil }
        return call.address
    }

    private mutating func refusal(_ tool: String, _ arguments: String) throws -> String? {
        guard case .answer(let text) = call(tool, arguments) else { return nil }
        let result = try StatsValue.parse(Array(text.utf8))["result"]
        #expect(result?["isError"]?.flag == true && result?["structuredContent"] == nil)
        guard case .array(let content)? = result?["content"] else { return nil }
        return content.first?["text"]?.text
    }

    @Test(
        "a few calls are on their way, others wait for their turn, and those beyond are refused by their id")
    mutating func queue() throws {
        func call(_ id: Int64) throws -> MCPProtocol.Call {
            let line =
                #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"list_sessions","arguments":{},\#(Self.meta)}}"#
            guard case .ask(let call) = core.take(Array(line.utf8)) else { throw CancellationError() }
            return call
        }
        var queue = MCPCallQueue()
        let (running, waiting) = (Int64(MCPCallQueue.limit), Int64(MCPCallQueue.waitingLimit))
        for id in 0..<running { #expect(queue.add(try call(id)) == .begins) }
        for id in running..<running + waiting { #expect(queue.add(try call(id)) == .waits) }
        let late = try call(1000)
        #expect(queue.add(late) == .refused(.full))
        let refusal = try StatsValue.parse(Array(core.refusal(.full, answering: late).utf8))
        #expect(refusal["result"]?["isError"]?.flag == true && refusal["id"]?.number == 1000)
        #expect("\(refusal)".contains("call again when"))
        #expect(queue.add(try call(0)) == .refused(.duplicateID))
        #expect(queue.add(try call(running)) == .refused(.duplicateID))
        // One that waits is forgotten; one that is on its way is so until it ends.
        queue.cancel(.int(running))
        queue.cancel(.int(0))
        #expect(queue.add(late) == .waits)
        #expect(queue.end(.int(0))?.id == .int(running + 1))
        var last: [StatsValue] = []
        for id in (1..<running).map(StatsValue.int) + (running + 1..<running + waiting).map(StatsValue.int) {
            if let next = queue.end(id) { last.append(next.id) }
        }
        #expect(last.last == .int(1000) && !queue.isEmpty)
        #expect(queue.end(.int(1000)) == nil && queue.isEmpty)
    }

    @Test("a client that says its version with each request needs no handshake")
    mutating func stateless() throws {
        let found = try answer(
            #"{"jsonrpc":"2.0","id":"a","method":"server/discover","params":{\#(Self.meta)}}"#)
        #expect(found?["id"]?.text == "a")
        let discovery = found?["result"]
        #expect(discovery?["supportedVersions"] == .array([.string("2026-07-28")]))
        #expect(discovery?["resultType"]?.text == "complete" && discovery?["cacheScope"]?.text == "public")
        #expect(discovery?["capabilities"]?["tools"] == .object([]))
        let server = discovery?["_meta"]?["io.modelcontextprotocol/serverInfo"]
        #expect(server?["name"]?.text == "sightline" && server?["version"]?.text == "1.2.3")
        let list = try answer(#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{\#(Self.meta)}}"#)
        #expect(list?["result"]?["resultType"]?.text == "complete")
        #expect(list?["result"]?["ttlMs"]?.number ?? 0 > 0)
    }

    @Test(
        "a client that begins with a handshake gets the revision that it asks for, or the newest of its kind")
    mutating func handshake() throws {
        let early = try answer(#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
        #expect(early?["error"]?["code"]?.number == -32602)
        #expect(try answer(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)?["result"] == .object([]))
        for (asked, agreed) in [("2025-06-18", "2025-06-18"), ("2024-11-05", "2025-11-25")] {
            let begun = try answer(
                #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"\#(asked)","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#
            )
            #expect(begun?["result"]?["protocolVersion"]?.text == agreed)
            #expect(begun?["result"]?["serverInfo"]?["name"]?.text == "sightline")
            #expect(begun?["result"]?["instructions"]?.text?.contains("list_sessions") == true)
        }
        #expect(try answer(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#) == nil)
        let list = try answer(#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#)
        guard case .array(let tools)? = list?["result"]?["tools"] else {
            Issue.record("there are no tools")
            return
        }
        #expect(list?["result"]?["resultType"] == nil)
        #expect(tools.count == MCPTool.all.count && tools.count >= 10)
        for tool in tools {
            #expect(tool["inputSchema"]?["type"]?.text == "object")
            #expect(tool["inputSchema"]?["additionalProperties"]?.flag == false)
            #expect(tool["annotations"]?["readOnlyHint"]?.flag == true)
            #expect(tool["description"]?.text?.isEmpty == false)
            let name = tool["name"]?.text ?? ""
            #expect(name.allSatisfy { $0.isASCII && ($0.isLowercase || $0 == "_") } && !name.isEmpty)
        }
        let names = tools.compactMap { $0["name"]?.text }
        #expect(Set(names).count == names.count)
    }

    @Test(
        "what is no request is refused by the numbers of the protocol", arguments: MCPTests.refusals)
    mutating func refused(line: String, code: Int) throws {
        let said = try answer(line)
        #expect(said?["error"]?["code"]?.number == Double(code), "\(String(describing: said))")
        #expect(said?["result"] == nil && said?["jsonrpc"]?.text == "2.0")
        if code == -32022 {
            #expect(said?["error"]?["data"]?["supported"] == .array([.string("2026-07-28")]))
            #expect(said?["error"]?["data"]?["requested"]?.text == "1900-01-01")
        }
    }

    @Test("notifications and answers are not answered; one gives up a request")
    mutating func notifications() {
        for line in [
            #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            #"{"jsonrpc":"2.0","method":"tools/list"}"#,
            #"{"jsonrpc":"2.0","method":7}"#, #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#,
            #"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
            #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}"#,
        ] {
            let outcome = core.take(Array(line.utf8))
            #expect(outcome == .nothing, "\(line)")
        }
        let cancel = #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}"#
        let outcome = core.take(Array(cancel.utf8))
        #expect(outcome == .cancel(.string("x")))
    }

    @Test("a call is one request of the HTTP API, whatever stands in its arguments")
    mutating func addresses() throws {
        #expect(try address("list_sessions", "{}") == "/v1/sessions?limit=20")
        #expect(
            try address("list_sessions", #"{"live":true,"condition":"warning","limit":5,"cursor":"1-2"}"#)
                == "/v1/sessions?condition=warning&live=true&limit=5&cursor=1-2")
        #expect(
            try address("session_findings", #"{"session":"room 7/../ä?&#%"}"#)
                == "/v1/sessions/room%207%2f..%2f%c3%a4%3f%26%23%25/findings")
        #expect(
            try address(
                "session_samples", #"{"session":"s","from":"2026-01-31T09:00:00Z","to":1769850060000.0}"#)
                == "/v1/sessions/s/samples?from=1769850000000&to=1769850060000&limit=30")
        #expect(
            try address(
                "fleet_comparison", #"{"from":"2026-01-31T09:00:00.500Z","to":"2026-01-31T10:00:00+01:00"}"#)
                == "/v1/fleet/comparison?from=1769850000500&to=1769850000000")
        let refusals: [(String, String)] = [
            ("session_summary", "{}"), ("session_summary", #"{"session":""}"#),
            ("session_summary", #"{"session":".."}"#), ("session_summary", #"{"session":7}"#),
            ("list_sessions", #"{"limit":0}"#), ("list_sessions", #"{"limit":101}"#),
            ("list_sessions", #"{"limit":2.5}"#), ("list_sessions", #"{"limit":"5"}"#),
            ("list_sessions", #"{"limit":1e300}"#), ("list_sessions", #"{"from":-1}"#),
            ("list_sessions", #"{"from":1e300}"#), ("list_sessions", #"{"from":"yesterday"}"#),
            ("list_sessions", #"{"from":"2026-01-31T09:00:00Z/2026"}"#),
            ("list_sessions", #"{"from":"2026-01-31T09:00:00Zgarbage"}"#),
            ("list_sessions", #"{"from":"2026-01-31T09:00:00.5Z "}"#),
            ("list_sessions", #"{"from":"2026-02-31T09:00:00Z"}"#),
            ("list_sessions", #"{"from":"2026-01-31T25:00:00Z"}"#),
            ("list_sessions", #"{"live":"true"}"#), ("list_sessions", #"{"condition":"bad"}"#),
            ("list_sessions", #"{"delete":true}"#), ("session_samples", #"{"session":"s","role":"x"}"#),
        ]
        for (tool, arguments) in refusals {
            #expect(try refusal(tool, arguments)?.isEmpty == false, "\(tool) \(arguments)")
        }
        for tool in MCPTool.all { #expect(tool.path.hasPrefix("/v1/") && !tool.path.contains("token")) }
    }

    private mutating func result(_ tool: String, _ arguments: String, _ answer: MCPProtocol.APIAnswer) throws
        -> StatsValue?
    {
        guard case .ask(let call) = call(tool, arguments) else { return nil }
        let line = core.line(answer, answering: call)
        #expect(!line.contains("\n"))
        let said = try StatsValue.parse(Array(line.utf8))
        #expect(said["id"]?.number == 7)
        return said["result"]
    }

    @Test("what the API says is the answer, as structure and as text; a refusal says why")
    mutating func answers() throws {
        let body = Array("{\n\"sessions\": [{\"session\": \"a\", \"alerts\": 2}], \"next\": \"1-2\"}".utf8)
        let good = try result("list_sessions", "{}", .body(status: 200, body))
        #expect(good?["isError"]?.flag == false && good?["structuredContent"]?["next"]?.text == "1-2")
        guard case .array(let content)? = good?["content"] else {
            Issue.record("there is no content")
            return
        }
        let text = Array((content.first?["text"]?.text ?? "").utf8)
        #expect(try StatsValue.parse(text)["next"]?.text == "1-2")
        let refusals: [(MCPProtocol.APIAnswer, String)] = [
            (.failure("No answer."), "No answer"),
            (
                .body(
                    status: 403,
                    Array(#"{"error":{"code":"forbidden","message":"the token lacks the scope"}}"#.utf8)),
                "lacks the scope"
            ),
            (.body(status: 502, Array("<html>".utf8)), "502"),
            (.body(status: 200, Array("<html>".utf8)), "no Sightline"),
            (.body(status: 200, Array("[]".utf8)), "no Sightline"), (.body(status: 200, []), "no Sightline"),
        ]
        for (answer, words) in refusals {
            let bad = try result("list_sessions", "{}", answer)
            #expect(bad?["isError"]?.flag == true && bad?["structuredContent"] == nil)
            guard case .array(let content)? = bad?["content"] else { continue }
            #expect(content.first?["text"]?.text?.contains(words) == true)
        }
    }

    @Test("what is said of a refusal is bounded, whoever chose its words")
    mutating func refusalBounds() throws {
        let long = String(repeating: "x", count: 100_000)
        let reason = Array(#"{"error":{"message":"\#(long)"}}"#.utf8)
        let refused = try result("list_sessions", "{}", .body(status: 400, reason))
        guard case .array(let content)? = refused?["content"] else {
            Issue.record("there is no content")
            return
        }
        #expect(content.first?["text"]?.text?.utf8.count == MCPProtocol.reasonBytes)
        for line in [
            #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\#(long)",\#(Self.meta)}}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"\#(long)","params":{\#(Self.meta)}}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"\#(long)"}}}"#,
        ] {
            let error = try answer(line)?["error"]
            #expect(JSONText.line(error ?? .null).utf8.count < 2 * MCPProtocol.reasonBytes)
        }
        let unknown = try refusal("list_sessions", #"{"\#(long)":1}"#)
        #expect(unknown?.contains("there are: ") == true)
        #expect(unknown?.utf8.count ?? .max <= MCPProtocol.reasonBytes)
    }

    @Test("an address, or a token, that cannot be sent is said at the start, without its secrets")
    func begin() throws {
        func problem(_ url: String, _ token: String?) throws -> String {
            let command = try #require(try SightlineCommand.parseAsRoot(["mcp"]) as? MCPCommand)
            var environment = ["SIGHTLINE_URL": url]
            environment["SIGHTLINE_API_TOKEN"] = token
            do { _ = try command.reader(environment) } catch let error as ValidationError {
                return error.message
            }
            return ""
        }
        #expect(try problem("https://calls.example.org", "a.token\n").isEmpty)
        #expect(try problem("https://calls.example.org", " \n").contains("There is no token"))
        for token in ["a token", "a\ntoken", "t\u{F6}ken"] {
            let said = try problem("https://calls.example.org", token)
            #expect(said.contains("alone") && !said.contains(token))
        }
        #expect(try problem("http://127.0.0.1:70000", "t").contains("SIGHTLINE_URL should be"))
        let credentials = try problem("https://user:secret@calls.example.org", "t")
        #expect(credentials.contains("no credentials") && !credentials.contains("secret"))
    }

    @Test("that no one answers is said with the reason")
    func noAnswer() async throws {
        let server = try #require(URL(string: "http://127.0.0.1:1"))
        let reader = HistoryReader(server: server, token: "t")
        guard case .failure(let reason) = await reader.answer("/v1/sessions") else {
            Issue.record("someone answers")
            return
        }
        #expect(reason.contains("127.0.0.1:1") && reason.contains("refused the connection"))
    }

    @Test("answers are bounded: pages are to be smaller, and other lists are cut and say so")
    mutating func bounds() throws {
        let entry = #"{"stream":"\#(String(repeating: "x", count: 200))"}"#
        let flows = Array(repeating: entry, count: 5000).joined(separator: ",")
        let body = Array(#"{"overview":{"session":"s"},"flows":[\#(flows)],"ratings":[]}"#.utf8)
        let paged = try result("session_samples", #"{"session":"s"}"#, .body(status: 200, body))
        #expect(paged?["isError"]?.flag == true)
        let cut = try result("session_summary", #"{"session":"s"}"#, .body(status: 200, body))
        guard case .array(let kept)? = cut?["structuredContent"]?["flows"],
            case .array(let content)? = cut?["content"]
        else {
            Issue.record("nothing is left")
            return
        }
        #expect(!kept.isEmpty && kept.count <= 256)
        let omitted = cut?["structuredContent"]?["omitted"]?["flows"]?.number
        #expect(omitted == Double(5000 - kept.count))
        #expect(cut?["structuredContent"]?["overview"]?["session"]?.text == "s")
        #expect(content.first?["text"]?.text?.utf8.count ?? .max <= MCPProtocol.answerBytes)
    }
}
