// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import CallModel
import Foundation
import MediaRouter

/// Which network the media router uses, and how it is contained; the server's command passes it on to the router's.
struct RouterOptions: ParsableArguments {
    /// A kind of address, as it is named on the command line.
    enum CandidateKind: String, CaseIterable, ExpressibleByArgument {
        case `public`, `private`, loopback, linkLocal = "link-local"

        fileprivate var kinds: CandidateKinds {
            switch self {
            case .public: .publicAddresses
            case .private: .privateAddresses
            case .loopback: .loopback
            case .linkLocal: .linkLocal
            }
        }
    }

    @Option(
        help: ArgumentHelp(
            "Addresses that clients may have the media router send to: any of public, private, loopback and "
                + "link-local, separated by commas. --loopback-only adds loopback.", valueName: "kinds"))
    var allowCandidates = "public,private"

    @Option(
        help: ArgumentHelp(
            "UDP ports that media take, such as 40000-40999, for a firewall to let through; any without. A publication or "
                + "subscription takes one for each address of the machine, and another one while it restarts ICE.",
            valueName: "low-high"))
    var mediaPorts: String?

    @Option(
        help: ArgumentHelp(
            "An address that clients are given for media in place of the machine's own, as behind a NAT that maps it port "
                + "by port; ADDRESS/LOCAL stands for one local address. May be repeated, for IPv4 and IPv6.",
            valueName: "address"))
    var mediaAddress: [String] = []

    private static let threads = OptionRange("--media-threads", .whole(1...64))

    @Option(help: Self.threads.help("Threads that carry the media", valueName: "count"))
    var mediaThreads: Int = 2

    @Option(
        help: ArgumentHelp(
            "User that the media router becomes when root starts it; 'sightline' if there is one, else 'nobody'.",
            valueName: "name"))
    var routerUser: String?

    private static let memory = OptionRange("--router-memory", .whole(128...1_048_576), .megabytes)

    @Option(help: Self.memory.help("Memory limit of the media router", valueName: "megabytes"))
    var routerMemory: Int = 2048

    private static let counts = OptionRange("--routers", .whole(1...256))

    @Option(
        help: Self.counts.help(
            "Media routers that run beside each other; a session is on one of them. 'auto' is one for every two processors, of "
                + "which each uses up to two; or a number", valueName: "count"))
    var routers = RouterCount.auto

    func validate() throws {
        guard candidateKinds != nil else {
            let kinds = CandidateKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--allow-candidates should be made of \(kinds), separated by commas.")
        }
        try Self.memory.check(routerMemory)
        try Self.threads.check(mediaThreads)
        guard mediaPorts == nil || ports != nil else {
            throw ValidationError("--media-ports should be two ports from 1024 on, such as 40000-40999.")
        }
        guard mediaAddress.isEmpty || announced != nil else {
            throw ValidationError(
                "--media-address should be an IPv4 or IPv6 address, or two of one family as ADDRESS/LOCAL.")
        }
    }

    /// How many media routers run.
    enum RouterCount: ExpressibleByArgument {
        /// As many as the machine feeds.
        case auto
        case exactly(Int)

        init?(argument: String) {
            if argument == "auto" {
                self = .auto
            } else if let count = Int(argument), (try? RouterOptions.counts.check(count)) != nil {
                self = .exactly(count)
            } else {
                return nil
            }
        }

        var defaultValueDescription: String { description }

        private var description: String {
            switch self {
            case .auto: "auto"
            case .exactly(let count): "\(count)"
            }
        }

        var value: Int {
            switch self {
            case .auto: max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
            case .exactly(let count): count
            }
        }
    }

    /// Which candidates are used.
    var candidates: CandidateKinds { candidateKinds ?? [] }

    /// UDP ports that media take; `nil` for any.
    var ports: ClosedRange<UInt16>? {
        let ends = (mediaPorts ?? "").split(separator: "-", omittingEmptySubsequences: false).map {
            UInt16($0)
        }
        guard ends.count == 2, let low = ends[0], let high = ends[1], low >= 1024, low <= high else {
            return nil
        }
        return low...high
    }

    /// Addresses that clients are given in place of the machine's own; `nil` for those.
    var announced: AnnouncedAddresses? { AnnouncedAddresses(mediaAddress) }

    /// Options of the router's confinement.
    var confinement: RouterConfinement {
        RouterConfinement(user: routerUser, memory: routerMemory << 20)
    }

    /// The same as arguments of the router's command.
    var arguments: [String] {
        ["--allow-candidates", allowCandidates, "--router-memory", "\(routerMemory)"]
            + ["--media-threads", "\(mediaThreads)"]
            + (routerUser.map { ["--router-user", $0] } ?? [])
            + (mediaPorts.map { ["--media-ports", $0] } ?? [])
            + mediaAddress.flatMap { ["--media-address", $0] }
    }

    /// `nil` if one is unknown, or there is none.
    private var candidateKinds: CandidateKinds? {
        let names = allowCandidates.split(separator: ",", omittingEmptySubsequences: false)
        let kinds = names.compactMap { CandidateKind(rawValue: String($0)) }
        guard kinds.count == names.count else { return nil }
        return kinds.reduce(into: CandidateKinds()) { $0.formUnion($1.kinds) }
    }
}
