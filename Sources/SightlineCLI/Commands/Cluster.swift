// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import ArgumentParser
import CallModel
import ClusterStore
import Foundation
import PostgresClient

struct Cluster: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Looks after servers with --cluster, and the PostgreSQL in which they keep their calls.",
        subcommands: [Migrate.self, Status.self, Drain.self])

    /// Where PostgreSQL is.
    struct Address: ParsableArguments {
        private static let variable = "SIGHTLINE_CLUSTER"

        @Option(
            help: ArgumentHelp(
                "Address of PostgreSQL; also from SIGHTLINE_CLUSTER, where no one else sees its password.",
                valueName: "address"))
        var cluster: String?

        func validate() throws {
            guard address != nil else {
                throw ValidationError("--cluster, or \(Self.variable), should say where PostgreSQL is.")
            }
        }

        private var address: String? { cluster ?? ProcessInfo.processInfo.environment[Self.variable] }

        /// Does something as one transaction.
        func transact<Value: Sendable>(
            _ body: @escaping @Sendable (PostgresSession) throws -> Value
        ) async throws -> Value {
            var configuration = PostgresConfiguration(address ?? "")
            configuration.name = "sightline cluster"
            let connection = PostgresConnection(configuration)
            do {
                let value = try await connection.transaction(body)
                await connection.close()
                return value
            } catch {
                await connection.close()
                throw CommandFailure("\(error)")
            }
        }
    }

    struct Migrate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Makes the tables in an empty database, or brings those of an earlier release up to date.")

        @OptionGroup var address: Address

        func run() async throws {
            try await address.transact { session in
                try ClusterSchema.migrate(session)
                try LogPartitions.make(session)
                for partitions in MinutePartitions.all { try partitions.make(session) }
            }
            print("the tables are of version \(ClusterSchema.version)")
        }
    }

    struct Drain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Has a server take no new sessions, and give those that it still has to others after a time.",
            discussion: "It serves again once it is started again.")

        @Argument(help: "The server's name, as its --node says it.")
        var node: String

        private static let times = OptionRange("--within", .numbers(0...86_400), .seconds)

        @Option(help: Self.times.help("When it gives up what it still has", valueName: "seconds"))
        var within: Double = 600

        @OptionGroup var address: Address

        func validate() throws { try Self.times.check(within) }

        func run() async throws {
            let isThere = try await address.transact { [node, within] session in
                try ClusterSchema.check(session)
                return try NodeTable.drain(node, within: .seconds(within), session)
            }
            guard isThere else {
                throw CommandFailure(
                    "No server \(node) has --node-url; 'sightline cluster status' names those there are.")
            }
            print("\(node) takes no new sessions; those that it has in \(Int(within)) s go to other servers")
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the nodes by their last runs, and for how long there are tables.")

        @OptionGroup var address: Address

        func run() async throws {
            let status = try await address.transact { try ClusterStatus.read($0) }
            print("tables of version \(status.version), made for \(status.hoursLeft) hours ahead")
            print("\(status.bytes >> 20) MB in the database")
            if status.nodes.isEmpty { print("no server has kept calls in it yet") }
            for node in status.nodes { print(Self.line(node)) }
        }

        static func line(_ node: ClusterStatus.Node) -> String {
            let began = Date(timeIntervalSince1970: node.beganAt / 1000).formatted(.iso8601)
            let place = node.url.map { " at \($0)" } ?? ""
            // One that ends in order says that it has been silent for ever.
            let life = node.silence.map { silence in
                silence > .seconds(31 * 86_400) ? ", ended" : ", heard of \(Int(silence.seconds)) s ago"
            }
            let drain =
                node.drainsIn.map { $0 > .zero ? ", drained in \(Int($0.seconds)) s" : ", drained" } ?? ""
            return
                "\(node.name)\(place): run \(node.instance) since \(began)\(life ?? "")\(drain), \(node.sessions) sessions open, "
                + "\(node.pendingBatches) batches to be put into minutes"
        }
    }
}
