// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionWire
import WebRTCStats

extension ObservedReport.Content {
    /// What a report says as a whole; `nil` if it is that there are no more.
    func report(_ rebuilder: inout ReportRebuilder) throws(ServerError) -> StatsReport? {
        switch self {
        case .closed: return nil
        case .report(let report):
            guard report.timestamp > 0 else {
                throw ServerError(.malformed, "the report is empty, or has no times")
            }
            return report
        case .changes(let changes):
            if let report = rebuilder.add(changes) { return report }
            guard !rebuilder.isTooLarge else { throw .tooLargeReport }
            throw ServerError(.lostBase, "the next report of this peer connection has to be whole")
        }
    }
}

extension ObservedReports {
    /// What is answered to someone who is not in the call, and does not come with it; `nil` for an event, or a report that
    /// can be read.
    var receiptWithoutEntry: ObservedReceipt? {
        guard events.isEmpty else { return nil }
        var receipt = ObservedReceipt()
        for report in reports {
            var rebuilder = ReportRebuilder()
            do throws(ServerError) {
                if try report.content.report(&rebuilder) != nil { return nil }
                receipt.accepted += 1
            } catch {
                receipt.refuse(report, error)
            }
        }
        return receipt
    }
}

extension ObservedReceipt {
    /// A report was not taken.
    mutating func refuse(_ report: ObservedReport, _ error: ServerError) {
        if error.code == .lostBase {
            restart.append(report.peerConnection)
        } else {
            self.error = self.error ?? error
        }
    }
}
