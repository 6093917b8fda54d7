// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

extension PreCallReport.Connectivity {
    /// What a peer connection reports of it.
    package init(_ report: StatsReport) {
        let kinds = report.localCandidates.map {
            PreCallReport.CandidateCount(
                type: $0.candidateType?.rawValue ?? "unknown", transport: $0.protocol ?? "unknown", count: 1)
        }
        candidates = kinds.reduce(into: []) { counts, kind in
            if let index = counts.firstIndex(where: { $0.type == kind.type && $0.transport == kind.transport }
            ) {
                counts[index].count += 1
            } else {
                counts.append(kind)
            }
        }
        guard let pair = report.selectedCandidatePair else { return }
        let local = report.localCandidate(id: pair.localCandidateId)
        let remote = report.remoteCandidate(id: pair.remoteCandidateId)
        selectedCandidatePair = .init(
            localType: local?.candidateType?.rawValue ?? "unknown",
            remoteType: remote?.candidateType?.rawValue ?? "unknown", transport: local?.protocol ?? "unknown")
        // ICE prefers every direct pair to a relayed one.
        turnNeeded = local?.candidateType == .relay || remote?.candidateType == .relay
    }
}
