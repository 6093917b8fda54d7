// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaPolicy
import NetworkEmulation
import RouterWire
import Synchronization
import WebRTCStats

@testable import MediaRouter

/// An engine without media: keeps what it was asked, and answers what the test says.
final class FakeEngine: LegEngine {
    struct State {
        var calls: [String] = []
        var answers: [LegNumber: [Completion<String>]] = [:]
        var candidates: [Completion<Void>] = []
        var statistics: [LegNumber: [Completion<StatsReport>]] = [:]
        var layers: [LayerCounters] = []
        var forwarding: [LegNumber: Forwarding] = [:]
        var timings: [LegNumber: PathTiming] = [:]
        var lastSubscriber: LegNumber?
        var networks: [NetworkNumber: FakeNetwork] = [:]
    }

    /// An emulated network through which nothing goes but what the test says.
    struct FakeNetwork {
        var legs: [LegNumber] = []
        var conditions = NetworkConditions()
        var up = NetworkCounters()
        var down = NetworkCounters()
    }

    let state = Mutex(State())

    var calls: [String] { state.withLock { $0.calls } }

    func add(
        _ kind: StreamRole, leg: LegNumber, stream: StreamNumber, offer: String, network: NetworkNumber?,
        then completion: @escaping Completion<String>
    ) {
        state.withLock {
            $0.calls.append("add \(kind) \(offer)")
            if let network { $0.networks[network, default: FakeNetwork()].legs.append(leg) }
            $0.answers[leg, default: []].append(completion)
            if kind == .subscriber {
                $0.forwarding[leg] = Forwarding()
                $0.lastSubscriber = leg
            }
        }
    }

    func answer(_ offer: String, on leg: LegNumber, then completion: @escaping Completion<String>) {
        state.withLock {
            $0.calls.append("answer \(offer)")
            $0.answers[leg, default: []].append(completion)
        }
    }

    func addCandidate(
        _ candidate: String, mid: String?, lineIndex: Int?, to leg: LegNumber,
        then completion: @escaping Completion<Void>
    ) {
        state.withLock {
            $0.calls.append("candidate \(candidate)")
            $0.candidates.append(completion)
        }
    }

    func remove(_ leg: LegNumber) {
        state.withLock {
            $0.calls.append("remove")
            $0.forwarding[leg] = nil
        }
    }

    func statistics(of leg: LegNumber, then completion: @escaping Completion<StatsReport>) {
        state.withLock {
            $0.calls.append("statistics")
            $0.statistics[leg, default: []].append(completion)
        }
    }

    func layers(of stream: StreamNumber) -> [LayerCounters] { state.withLock { $0.layers } }
    func forwarding(of leg: LegNumber) -> Forwarding? { state.withLock { $0.forwarding[leg] } }

    func takePathTiming(of leg: LegNumber) -> PathTiming? { state.withLock { $0.timings[leg] } }

    func select(_ layer: LayerID?, stoppingFirst: Bool, on leg: LegNumber) {
        state.withLock {
            $0.calls.append("select \(layer?.rawValue ?? 0)\(stoppingFirst ? " stop first" : "")")
            $0.forwarding[leg]?.wanted = layer
            $0.forwarding[leg]?.sent = layer
        }
    }

    func limitTemporalLayers(_ highest: Int, on leg: LegNumber) {
        state.withLock { $0.calls.append("limit \(highest)") }
    }

    func probe(_ leg: LegNumber, bitrate: Double) {
        state.withLock { $0.calls.append("probe \(Int(bitrate))") }
    }

    func saturate(_ leg: LegNumber, bitrate: Double?) {
        state.withLock { $0.calls.append("saturate \(bitrate.map { "\(Int($0))" } ?? "no more")") }
    }

    func set(_ conditions: NetworkConditions, of network: NetworkNumber) {
        state.withLock {
            $0.calls.append("emulate \(conditions.text.isEmpty ? "nothing" : conditions.text)")
            $0.networks[network]?.conditions = conditions
        }
    }

    func counters(of network: NetworkNumber, _ direction: NetworkConditions.Direction) -> NetworkCounters {
        state.withLock { state in
            let network = state.networks[network]
            return (direction == .up ? network?.up : network?.down) ?? NetworkCounters()
        }
    }

    func forget(_ network: NetworkNumber) {
        state.withLock {
            $0.calls.append("forget")
            $0.networks[network] = nil
        }
    }

    /// Answers every negotiation that waits.
    func answerAll(_ result: Result<String, RouterEngineError>) {
        let waiting = state.withLock { state in
            defer { state.answers = [:] }
            return state.answers.sorted { $0.key < $1.key }.flatMap(\.value)
        }
        waiting.forEach { $0(result) }
    }

    func reportAll(_ report: StatsReport = StatsReport()) {
        let waiting = state.withLock { state in
            defer { state.statistics = [:] }
            return state.statistics.sorted { $0.key < $1.key }.flatMap(\.value)
        }
        waiting.forEach { $0(.success(report)) }
    }
}
