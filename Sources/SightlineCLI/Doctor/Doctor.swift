// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation
import SessionServer

/// Looks at what a server needs before, or while, it runs.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Looks at what the server needs, with the settings of 'sightline serve', and says what to do.",
        discussion: """
            Ports, addresses behind NAT, the clock, STUN and TURN, the certificate, the disk, and the limit of open files. It \
            takes the options of 'sightline serve', its variables and its file. Exit code 1: something will not work.
            """)

    @OptionGroup var server: Serve

    func run() async throws {
        let configuration = try server.makeConfiguration { _ in }
        OpenFiles.raiseLimit()
        var findings = NetworkCheckup(configuration, ports: server.mediaRouter.ports).findings
        findings += await ReflectionCheckup(configuration, announced: server.mediaRouter.mediaAddress)
            .findings
        findings += MachineCheckup(configuration).findings
        for finding in findings { print(finding.line) }
        if findings.contains(where: { $0.verdict == .bad }) { throw ExitCode.failure }
    }
}

/// One thing that was looked at.
struct CheckupFinding: Equatable {
    enum Verdict: String {
        case good = "ok"
        /// Works, but perhaps not as it is meant to.
        case doubtful = "look"
        /// Does not work.
        case bad = "wrong"
    }

    var verdict: Verdict
    var subject: String
    /// What is so, and what to do if it is not good.
    var text: String

    init(_ verdict: Verdict, _ subject: String, _ text: String) {
        self.verdict = verdict
        self.subject = subject
        self.text = text
    }

    var line: String {
        verdict.rawValue.padding(toLength: 6, withPad: " ", startingAt: 0)
            + subject.padding(toLength: 13, withPad: " ", startingAt: 0) + text
    }
}
