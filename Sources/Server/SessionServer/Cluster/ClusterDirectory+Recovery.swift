// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ClusterStore
import Logging
import SessionCore

/// What others have left.
extension ClusterDirectory {
    /// Has what nodes that are gone have logged put into the history, beside everything else; other nodes may do the same, and
    /// for each one does.
    func recoverSilent() {
        guard recovering == nil else { return }
        let silent = nodes.values.filter { node in
            node.isOpen && node.name != self.node && book.verdict(on: node.name, at: now) == .mustBeAsked
        }
        guard !silent.isEmpty else { return }
        recovering = Task {
            for node in silent where !Task.isCancelled {
                if await !answers(node) { await recover(node.name) }
            }
            recovering = nil
        }
    }

    private func recover(_ dead: String) async {
        do {
            let recovery = try await store.recover(dead, after: NodeBook.silenceLimit)
            guard recovery.runs > 0 else { return }
            logger.notice(
                "what a node that is gone had logged is in the history",
                metadata: ["node": "\(dead)", "samples": "\(recovery.samples)"])
            onRecovery(recovery)
        } catch is CancellationError {} catch {
            logger.warning(
                "what a node that is gone has logged cannot be put into the history; it is tried again",
                metadata: ["node": "\(dead)", "error": "\(error)"])
        }
    }
}
