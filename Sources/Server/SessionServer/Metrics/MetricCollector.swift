// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import Foundation
import HistoryWriter

/// Asks the server's parts for their figures, for whoever reads metrics or is sent them.
struct MetricCollector: Sendable {
    let build: SessionServerConfiguration.Build
    let hub: ServerHub
    /// `nil` without a store.
    let service: StoreService?
    let feed: LiveFeed
    /// `nil` where no one is notified.
    let alerts: AlertService?
    /// `nil` without an endpoint.
    let exporter: OTLPExporter?
    let figures: ServerMetrics
    let connections: ConnectionGate
    /// Whether the store may still be read; its writer's figures are there all the same.
    private(set) var isStoreOpen = true

    /// The same once the store is closed.
    var withoutStore: MetricCollector {
        var collector = self
        collector.isStoreOpen = false
        return collector
    }

    /// All metrics as they are now.
    var metrics: [Metric] {
        get async {
            let listeners = feed.figures
            let store = isStoreOpen ? service?.store : nil
            return MetricList(
                .init(
                    build: build, health: await hub.health, figures: figures.figures,
                    store: service?.writer.statistics, storeBytes: try? await store?.bytes(),
                    cluster: service?.store.clusterFigures, listeners: listeners.listeners,
                    droppedMessages: listeners.dropped,
                    failedPosts: alerts?.failed, exports: exporter?.figures,
                    connections: connections.figures,
                    process: ProcessLoad(process: ProcessInfo.processInfo.processIdentifier),
                    openDescriptors: ProcessLoad.openDescriptors, descriptorLimit: OpenFiles.most,
                    routers: await hub.routersInProcesses.map {
                        RouterLoad(state: $0.state, process: $0.process.flatMap(ProcessLoad.init))
                    })
            ).metrics
        }
    }
}
