// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

extension MCPTool {
    /// All of them, in the order in which they are listed.
    static let all: [MCPTool] = [
        MCPTool(
            name: "list_sessions", title: "Sessions",
            description:
                "Live and past sessions and observed calls, the newest first: when, how long, worst network condition, participants, alerts. Times are Unix ms.",
            path: "/v1/sessions",
            arguments: [
                from("Only those that had not ended by then."), to("Only those that had begun by then."),
                participant,
                .init(
                    name: "condition",
                    kind: .word(NetworkCondition.determined.map(\.name)),
                    description: "Only those whose worst network condition was this one or a worse one."),
                .init(
                    name: "live", kind: .flag,
                    description: "Only those that continue, or only those that have ended."),
                limit(20, 100), cursor,
            ]),
        MCPTool(
            name: "session_summary", title: "A session",
            description:
                "Who was in a session, what they sent and received, how each stream did, the worst minutes, and the participants' own ratings.",
            path: "/v1/sessions/{session}", arguments: [session]),
        MCPTool(
            name: "session_findings", title: "Findings about a session",
            description:
                "What is worth knowing about a whole call: findings with evidence and advice, and the score of 0 to 100 with what cost it, for each participant.",
            path: "/v1/sessions/{session}/findings",
            arguments: [
                session, participant, from("Only what was from then on."), to("Only what was up to then."),
            ]),
        MCPTool(
            name: "session_minutes", title: "Minutes of a session",
            description:
                "How each stream did at each connection, minute by minute: network conditions, causes and blamed sides by number of samples, opinion scores, freezes.",
            path: "/v1/sessions/{session}/minutes", arguments: window(limit: 60, most: 200)),
        MCPTool(
            name: "session_samples", title: "Samples of a session",
            description:
                "What was measured once a second, with diagnosis: bit rates, loss, jitter, round trip, resolution, frame rate. Narrow it to a minute or two: first look at session_minutes for when.",
            path: "/v1/sessions/{session}/samples", arguments: window(limit: 30, most: 120)),
        MCPTool(
            name: "session_timeline", title: "Events of a session",
            description:
                "What happened in a session, in order: who joined and left, streams, warnings that began and ended, devices refused, states of connections.",
            path: "/v1/sessions/{session}/timeline",
            arguments: [
                session, participant, connection, from("Only what was from then on."),
                to("Only what was up to then."), limit(100, 500), cursor,
            ]),
        MCPTool(
            name: "list_alerts", title: "Alerts",
            description: "Sustained issues: three or more bad samples in a row, the newest first.",
            path: "/v1/alerts",
            arguments: [
                .init(name: "session", kind: .text, description: "Only of this session."), participant,
                from("Only those that had not ended by then."), to("Only those that had begun by then."),
                .init(
                    name: "over", kind: .flag,
                    description: "Only those that are over, or only those that continue."),
                limit(20, 100), cursor,
            ]),
        MCPTool(
            name: "fleet_figures", title: "All calls together",
            description:
                "Bad minutes of all calls of a time by hour or day, cause, blamed side and software, and the worst calls.",
            path: "/v1/fleet",
            arguments: [
                from("From then on; a week before the end if omitted."), to("Up to then; now if omitted."),
                .init(name: "by", kind: .word(["hour", "day"]), description: "Length of a period."),
                .init(
                    name: "limit", kind: .limit(usual: 20, most: 100), description: "Most of the worst calls."
                ),
            ]),
        MCPTool(
            name: "fleet_comparison", title: "Two times compared",
            description:
                "Whether participants' calls were worse in one time than in another: the shares of bad ones, their difference with a 95 % interval, and how likely chance alone makes one as large.",
            path: "/v1/fleet/comparison",
            arguments: [
                from("Begin of the time; a week before its end if omitted."), to("Its end; now if omitted."),
                .init(
                    name: "beforeFrom", kind: .time,
                    description: "Begin of the time that it is compared with; as long before if omitted."),
                .init(
                    name: "beforeTo", kind: .time,
                    description: "Its end; the begin of the other if omitted."),
            ]),
        MCPTool(
            name: "list_ratings", title: "Ratings",
            description:
                "What participants say of their calls, 1 to 5, beside the score of 0 to 100 by the rules, and how well the two agree.",
            path: "/v1/ratings",
            arguments: [
                .init(name: "session", kind: .text, description: "Only of this session."),
                from("Only what was given from then on."), to("Only what was given up to then."),
                limit(50, 200), cursor,
            ]),
    ]

    private static let session = Argument(
        name: "session", kind: .text, description: "The session's name, from list_sessions.", isInPath: true)
    private static let participant = Argument(
        name: "participant", kind: .text,
        description:
            "Only of this participant: what stands for it, such as p0123456789abcdef; its name, if the token may see names."
    )
    private static let connection = Argument(
        name: "connection", kind: .text, description: "Only of this connection, from session_summary.")
    private static let cursor = Argument(
        name: "cursor", kind: .text,
        description: "Where the page before ended: its “next”. All other arguments stay the same.")

    private static func limit(_ usual: Int, _ most: Int) -> Argument {
        Argument(name: "limit", kind: .limit(usual: usual, most: most), description: "Most of one page.")
    }

    private static func from(_ description: String) -> Argument { time("from", description) }

    private static func to(_ description: String) -> Argument { time("to", description) }

    private static func time(_ name: String, _ description: String) -> Argument {
        Argument(
            name: name, kind: .time,
            description: description + " Unix ms, or a time such as 2026-01-31T09:00:00Z.")
    }

    /// A part of a session by pages.
    private static func window(limit usual: Int, most: Int) -> [Argument] {
        [
            session, participant, connection,
            Argument(name: "stream", kind: .text, description: "Only of this stream, from session_summary."),
            Argument(
                name: "role", kind: .word(StreamRole.allCases.map(\.name)),
                description: "Only what is sent, or only what is received."),
            Argument(
                name: "observer", kind: .word(["client", "router"]),
                description: "Only as the client measured it, or only as the media router did."),
            from("Only what was from then on."), to("Only what was up to then."), limit(usual, most), cursor,
        ]
    }
}
