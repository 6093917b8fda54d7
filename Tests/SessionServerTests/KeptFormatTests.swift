// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallStore
import ClusterStore
import Foundation
import HistoryWriter
import PostgresClient
import TestSupport
import Testing

@testable import SessionServer

@Suite("Stores and API of released versions")
struct KeptFormatTests {
    /// Nothing of it is too old.
    private static var settings: StoreConfiguration {
        var settings = StoreConfiguration()
        settings.maximumAge = nil
        return settings
    }

    /// Holds what a server says of a store against what the release said of it.
    private static func compare(
        _ store: any HistoryStore, with name: String, of release: KeptRelease
    ) async throws {
        let kept = try #require(try release.json(name) as? [String: Any])
        #expect(kept.count > 10)
        var configuration = TestServer.configuration
        configuration.store?.keepsNames = true
        configuration.store?.settings = settings
        let answers = try kept.mapValues { try JSONSerialization.data(withJSONObject: $0) }
        try await TestServer.run(configuration, store: store) { server in
            for (path, answer) in answers.sorted(by: { $0.key < $1.key }) {
                let now = try await server.get(path, [.read, .names, .reports])
                try #require(now.status == 200, "\(path): \(now.text)")
                let (old, new) = try (
                    JSONSerialization.jsonObject(with: answer),
                    JSONSerialization.jsonObject(with: Data(now.body))
                )
                #expect(KeptRelease.lost(old, in: new) == [], "\(path)")
            }
        }
    }

    @Test("the first one is there")
    func releases() { #expect(KeptRelease.all.first?.version == "0.2.0") }

    @Test("a store in SQLite is opened, and says what it said", arguments: KeptRelease.all)
    func sqlite(release: KeptRelease) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("calls.sqlite").path
        try await release.unpack("calls.sqlite.gz", to: path)
        let store = try SQLiteCallStore(path: path, configuration: Self.settings)
        #expect(store.replaced == nil)
        try await Self.compare(store, with: "sqlite.json", of: release)
    }

    @Test(
        "a store in PostgreSQL is brought up to date, and says what it said",
        .enabled(if: PostgresCluster.isInstalled, "needs PostgreSQL (apt install postgresql)"),
        arguments: KeptRelease.all)
    func postgres(release: KeptRelease) async throws {
        let cluster = try await PostgresCluster.shared.value
        let name = "kept\(UInt64.random(in: .min ... .max))"
        let dump = cluster.folder + "/\(name).sql"
        try await release.unpack("cluster.sql.gz", to: dump)
        let maker = PostgresConnection(.init("host=\(cluster.folder) user=sightline dbname=postgres"))
        try await maker.run { _ = try $0.execute("CREATE DATABASE \(name)") }
        await maker.close()
        let words = [
            "-q", "-v", "ON_ERROR_STOP=1", "-h", cluster.folder, "-U", "sightline", "-d", name, "-f", dump,
        ]
        let psql = try ChildProcess(URL(filePath: "\(PostgresCluster.binaries ?? "")/psql"), words)
        try #require(try await psql.exitCode() == 0, "\(psql.errors)")
        let address = PostgresConfiguration("host=\(cluster.folder) user=sightline dbname=\(name)")
        try await PostgresConnection(address).transaction { try ClusterSchema.migrate($0) }
        let store = try await ClusterHistory.open(address, node: "keeper", configuration: Self.settings)
        try await Self.compare(store, with: "cluster.json", of: release)
    }

    @Test("whoever was written for the API finds all of it", arguments: KeptRelease.all)
    func description(release: KeptRelease) throws {
        let now = try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.json.utf8))
        #expect(DescriptionChange(from: try release.json("openapi.json"), to: now).problems == [])
    }

    @Test("what is taken away from the API, or asked for in addition, is found")
    func changes() throws {
        func document(_ text: String) throws -> Any {
            try JSONSerialization.jsonObject(with: Data(text.utf8))
        }
        let old = try document(
            """
            {"webhooks": {"alert": {"post": {"requestBody": {"content": {"application/json": {"schema": {"required": ["u"],
            "properties": {"u": {}, "v": {}}}}}}}}},
            "paths": {"/a": {"get": {"parameters": [{"in": "query", "name": "x"}, {"in": "query", "name": "z", "schema":
            {"enum": ["hour", "day"]}}, {"in": "query", "name": "w", "schema": {"type": "string"}}], "responses": {"200": {"content":
            {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}}}, "post": {"requestBody": {"content":
            {"application/json": {"schema": {"$ref": "#/components/schemas/B"}}}}}}, "/gone": {"get": {}},
            "/any": {"put": {"requestBody": {"content": {"application/json": {"schema": {"anyOf": [{"$ref":
            "#/components/schemas/B"}, {"type": "array"}]}}}}}}},
            "components": {"schemas": {"A": {"type": "object", "required": ["p", "q"], "properties": {"p": {"type": "string",
            "enum": ["one", "two"]}, "q": {"type": "array", "items": {"$ref": "#/components/schemas/B"}}, "r": {}}},
            "B": {"type": "object", "properties": {"s": {"type": "number"}}}}}}
            """)
        let new = try document(
            """
            {"webhooks": {"alert": {"post": {"requestBody": {"content": {"application/json": {"schema": {"required": [],
            "properties": {"u": {}}}}}}}}},
            "paths": {"/a": {"get": {"parameters": [{"in": "query", "name": "y", "required": true}, {"in": "query", "name": "z",
            "schema": {"enum": ["day", "week"]}}, {"in": "query", "name": "w", "schema": {"type": "string", "enum": ["a"]}}],
            "responses": {"200":
            {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}}}, "post": {"requestBody":
            {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/B"}}}}}},
            "/any": {"put": {"requestBody": {"required": true, "content": {"application/json": {"schema": {"anyOf": [{"$ref":
            "#/components/schemas/C"}]}}}}}}},
            "components": {"schemas": {"A": {"type": "object", "required": ["q"], "properties": {"p": {"type": "string",
            "enum": ["one", "three"]}, "q": {"type": "array", "items": {"$ref": "#/components/schemas/B"}}}},
            "B": {"type": "object", "required": ["t"], "properties": {"s": {"type": "string"}, "t": {}}},
            "C": {"type": "object"}}}}
            """)
        #expect(DescriptionChange(from: old, to: old).problems == [])
        #expect(
            DescriptionChange(from: old, to: new).problems.sorted() == [
                "GET /a 200.p: may be missing now", "GET /a 200.p: no longer two",
                "GET /a 200.q.items.s: another type", "GET /a 200.r: no longer there",
                "GET /a query w: takes some words only now", "GET /a query z: no longer hour",
                "GET /a: query x is no longer taken", "GET /a: query y has to be given now",
                "GET /gone: no longer there", "POST /a body.s: another type",
                "POST /a body.t: has to be given now", "POST alert body.u: may be missing now",
                "POST alert body.v: no longer there", "PUT /any body.anyOf[0].s: no longer there",
                "PUT /any body: fewer of anyOf", "PUT /any: wants a body now",
            ])
    }
}
