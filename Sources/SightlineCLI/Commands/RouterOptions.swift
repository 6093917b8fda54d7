// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import MediaRouter

/// How the media router is contained; the server's command passes it on to the router's.
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
            "User that the media router becomes when root starts it; 'sightline' if there is one, else 'nobody'.",
            valueName: "name"))
    var routerUser: String?

    @Option(
        help: ArgumentHelp("Memory limit of the media router.", valueName: "megabytes"))
    var routerMemory: Int = 2048

    func validate() throws {
        guard candidateKinds != nil else {
            let kinds = CandidateKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--allow-candidates should be made of \(kinds), separated by commas.")
        }
        guard (128...1_048_576).contains(routerMemory) else {
            throw ValidationError("--router-memory should be 128 to 1048576 megabytes.")
        }
    }

    /// Which candidates are used.
    var candidates: CandidateKinds { candidateKinds ?? [] }

    /// Options of the router's confinement.
    var confinement: RouterConfinement {
        RouterConfinement(user: routerUser, memory: routerMemory << 20)
    }

    /// The same as arguments of the router's command.
    var arguments: [String] {
        ["--allow-candidates", allowCandidates, "--router-memory", "\(routerMemory)"]
            + (routerUser.map { ["--router-user", $0] } ?? [])
    }

    /// `nil` if one is unknown, or there is none.
    private var candidateKinds: CandidateKinds? {
        let names = allowCandidates.split(separator: ",", omittingEmptySubsequences: false)
        let kinds = names.compactMap { CandidateKind(rawValue: String($0)) }
        guard kinds.count == names.count else { return nil }
        return kinds.reduce(into: CandidateKinds()) { $0.formUnion($1.kinds) }
    }
}
