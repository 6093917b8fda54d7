// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Dispatch
import Foundation
import LineEmulation
import Synchronization

/// The networks of this process that are open: Ctrl-C, and what else ends the process, removes all of them first.
final class OpenNetworks: Sendable {
    /// All that there are: signals are the process's.
    static let shared = OpenNetworks()

    private struct State {
        var networks: [LineNetwork] = []
        var isEnding = false
    }

    /// Held while a network is made, so that a signal finds it.
    private let state = Mutex(State())
    // Only kept alive: no one touches them after `init`.
    private nonisolated(unsafe) var sources: [any DispatchSourceSignal] = []

    /// Takes over the signals for the rest of the process's lifetime.
    private init() {
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [self] in
                closeAll()
                Foundation.exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    /// Makes a network.
    ///
    /// - Throws: What it lacks, and that the process is about to end.
    func open() throws -> LineNetwork {
        try state.withLock { state in
            guard !state.isEnding else { throw LabFailure(description: "it was interrupted") }
            let network = try LineNetwork()
            state.networks.append(network)
            return network
        }
    }

    /// Ends a network's programs and removes it.
    func close(_ network: LineNetwork) {
        network.close()
        state.withLock { $0.networks.removeAll { $0 === network } }
    }

    /// At once, for what does not end by itself is waited for.
    private func closeAll() {
        let networks = state.withLock { state in
            state.isEnding = true
            return state.networks
        }
        DispatchQueue.concurrentPerform(iterations: networks.count) { networks[$0].close() }
    }
}
