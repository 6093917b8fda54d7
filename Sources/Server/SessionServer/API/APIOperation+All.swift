// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import HTTPTypes
import SessionWire

// What the server has at which path. The description has them in this order, and beside them what people wrote there: summaries,
// answers and bodies.

extension APIOperation {
    /// All of them.
    static let all = [
        liveness, readiness, metrics, sessionSocket, sessions, createSession, session, putSession, endSession,
        minutes, timeline, samples, supportCase, findings, report, reports, keepReports, createToken,
        addCallReports, rateCall, rtcstatsSocket, fleet, fleetComparison, ratings, alerts, live,
        deleteParticipant, createAPIToken, revokeAPIToken, loggedIn, logIn, logOut, description, networks,
        network, emulateNetwork, endNetworkEmulation, routers, drainRouter,
    ]
}

// MARK: - The server

extension APIOperation {
    static let liveness = APIOperation("getLiveness", .get, "/livez", .everyone)
    static let readiness = APIOperation("getReadiness", .get, "/readyz", .everyone)
    static let metrics = APIOperation("getMetrics", .get, "/metrics", .scope(.metrics))
    static let description = APIOperation("getOpenAPIDocument", .get, "/v1/openapi.json", .scope(.read))
    static let routers = APIOperation("listRouters", .get, "/v1/routers", .scope(.metrics))
    static let drainRouter = APIOperation(
        "drainRouter", .post, "/v1/routers/{router}/drain", .application, [.path(.router, .index)])
}

// MARK: - Sockets

extension APIOperation {
    static let sessionSocket = APIOperation("openSessionSocket", .get, SessionProtocol.path, .everyone)
    static let rtcstatsSocket = APIOperation(
        "openRTCStatsSocket", .get, RTCStatsAddress.path, .everyone,
        [.query(.rtcstatsToken, .text, "A token of the scope observe", isRequired: true)])
}

// MARK: - Sessions that are

extension APIOperation {
    static let createSession = APIOperation("createSession", .post, "/v1/sessions", .application)
    static let putSession = APIOperation("putSession", .put, "/v1/sessions/{session}", .application)
    static let endSession = APIOperation("endSession", .delete, "/v1/sessions/{session}", .application)
    static let createToken = APIOperation(
        "createSessionToken", .post, "/v1/sessions/{session}/tokens", .scope(.tokens))
    static let keepReports = APIOperation(
        "keepRawReports", .post, "/v1/sessions/{session}/reports", .scope(.reports))

    static let networks = APIOperation(
        "listNetworks", .get, "/v1/sessions/{session}/networks", .scope(.emulate))
    private static let networkPath = "/v1/sessions/{session}/connections/{connection}/network"
    static let network = APIOperation("network", .get, networkPath, .scope(.emulate))
    static let emulateNetwork = APIOperation("emulateNetwork", .put, networkPath, .scope(.emulate))
    static let endNetworkEmulation = APIOperation(
        "endNetworkEmulation", .delete, networkPath, .scope(.emulate))
}

// MARK: - Observed calls

extension APIOperation {
    static let addCallReports = APIOperation(
        "addCallReports", .post, "/v1/calls/{call}/reports", .participant,
        [.path(.call, .text, "The call that the token names")])
    static let rateCall = APIOperation(
        "rateCall", .post, "/v1/calls/{call}/ratings", .participantOrApplication,
        [.path(.call, .text, "The call, or session")])
}

// MARK: - History

extension APIOperation {
    static let sessions = APIOperation(
        "listSessions", .get, "/v1/sessions", .scope(.read),
        [
            .query(.from, .time, "Only what had not ended by then, Unix ms"),
            .query(.to, .time, "Only what had begun by then, Unix ms"), .participant,
            .query(
                .condition, .word(NetworkCondition.determined.map(\.name), schema: "DeterminedCondition"),
                "Only those whose worst condition was this one or a worse one"),
            .query(.live, .flag, "Only those that continue, or that have ended"),
        ] + APIParameter.page(50, upTo: 200))
    static let session = APIOperation("getSession", .get, "/v1/sessions/{session}", .scope(.read))
    static let minutes = APIOperation(
        "getSessionMinutes", .get, "/v1/sessions/{session}/minutes", .scope(.read),
        APIParameter.window + APIParameter.page(10_000, upTo: 10_000))
    static let timeline = APIOperation(
        "getSessionTimeline", .get, "/v1/sessions/{session}/timeline", .scope(.read),
        APIParameter.window + APIParameter.page(200, upTo: 2000))
    static let samples = APIOperation(
        "getSessionSamples", .get, "/v1/sessions/{session}/samples", .scope(.read),
        APIParameter.window + APIParameter.page(1000, upTo: 10_000) + [
            .format(ExportFormat.tables, schema: "ExportFormat", "Or by the Accept field")
        ])
    static let supportCase = APIOperation(
        "getSupportCase", .get, "/v1/sessions/{session}/support-case", .scope(.read), APIParameter.window)
    static let findings = APIOperation(
        "getSessionFindings", .get, "/v1/sessions/{session}/findings", .scope(.read), APIParameter.window)
    static let report = APIOperation(
        "getSessionReport", .get, "/v1/sessions/{session}/report", .scope(.read), APIParameter.window)
    static let reports = APIOperation(
        "getRawReports", .get, "/v1/sessions/{session}/reports", .scope(.reports),
        APIParameter.window + APIParameter.page(100, upTo: 1000) + [
            .format(ExportFormat.reports, schema: "ReportFormat", "Or by the Accept field")
        ])
    static let deleteParticipant = APIOperation(
        "deleteParticipant", .delete, "/v1/participants/{participant}", .scope(.delete))
}

// MARK: - Of no single session

extension APIOperation {
    /// The time that is looked at.
    private static let time = [
        APIParameter.query(.from, .time, "From then on, Unix ms; a week before the end if absent"),
        .query(.to, .time, "Up to then, Unix ms; now if absent"),
    ]
    private static let format = APIParameter.format(
        ExportFormat.tables, schema: "ExportFormat", "How it is written")

    static let fleet = APIOperation(
        "getFleet", .get, "/v1/fleet", .scope(.read),
        time + [
            .query(.by, .word(["hour", "day"]), "Length of a period; an hour if absent"),
            .limit(20, upTo: 200, "Most of the worst calls; 20 if absent"), format,
        ])
    static let fleetComparison = APIOperation(
        "compareFleet", .get, "/v1/fleet/comparison", .scope(.read),
        time + [
            .query(
                .beforeFrom, .time,
                "Begin of the time that it is compared with, Unix ms; as long before if absent"),
            .query(
                .beforeTo, .time,
                "End of the time that it is compared with, Unix ms; the begin of the other if absent"),
        ])
    static let ratings = APIOperation(
        "getRatings", .get, "/v1/ratings", .scope(.read),
        [
            .ofSession, .query(.from, .time, "Only what was given from then on, Unix ms"),
            .query(.to, .time, "Only what was given up to then, Unix ms"),
        ] + APIParameter.page(200, upTo: 1000) + [format])
    static let alerts = APIOperation(
        "listAlerts", .get, "/v1/alerts", .scope(.read),
        [
            .ofSession, .participant, .query(.from, .time, "Only what had not ended by then, Unix ms"),
            .query(.to, .time, "Only what had begun by then, Unix ms"),
            .query(.over, .flag, "Only those that are over, or that continue"),
        ] + APIParameter.page(50, upTo: 200))
    static let live = APIOperation("watchLive", .get, "/v1/live", .scope(.read), [.ofSession])
}

// MARK: - Tokens and cookies

extension APIOperation {
    static let createAPIToken = APIOperation("createAPIToken", .post, "/v1/api-tokens", .application)
    static let revokeAPIToken = APIOperation("revokeAPIToken", .post, "/v1/api-tokens/revoke", .anyToken)
    static let loggedIn = APIOperation("getLogin", .get, "/v1/login", .everyone)
    static let logIn = APIOperation("logIn", .post, "/v1/login", .everyone)
    static let logOut = APIOperation("logOut", .post, "/v1/logout", .everyone)
}
