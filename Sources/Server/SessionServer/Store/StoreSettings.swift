// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory

extension SessionServerConfiguration {
    /// What a server keeps of its calls, and where.
    package struct Store: Sendable, Equatable {
        /// The PostgreSQL of a cluster, and which of its nodes this is.
        package struct Cluster: Sendable, Equatable {
            /// Of PostgreSQL, as libpq reads it.
            package var address: String
            /// The node's name; no two that run have the same.
            package var node: String
            /// How the node is reached; `nil` if clients are not sent to it, nor to others by it.
            package var route: Route?

            /// Names one.
            package init(address: String, node: String, route: Route? = nil) {
                self.address = address
                self.node = node
                self.route = route
            }
        }

        /// How a node of a cluster is reached, `http://` or `https://`.
        package struct Route: Sendable, Equatable {
            /// By clients.
            package var url: String
            /// By the other nodes.
            package var internalURL: String

            /// Names one.
            package init(url: String, internalURL: String? = nil) {
                self.url = url
                self.internalURL = internalURL ?? url
            }
        }

        /// File of the SQLite database; `nil` to keep everything in memory, and lose it at the end.
        package var path: String?
        /// In place of SQLite; `nil` without.
        package var cluster: Cluster?
        /// Whether the names of participants and streams are kept in clear.
        ///
        /// Without it a keyed hash stands for a name.
        package var keepsNames = false
        /// How the store is kept.
        package var settings = StoreConfiguration()

        /// What is older is deleted; `nil` keeps it.
        package var maximumAge: Duration? {
            get { settings.maximumAge }
            set { settings.maximumAge = newValue }
        }

        /// Bytes beyond which the oldest samples are deleted; `nil` for no limit.
        package var maximumBytes: Int64? {
            get { settings.maximumBytes }
            set { settings.maximumBytes = newValue }
        }

        /// Whether telemetry is acknowledged only when it is on the disk, so that a power failure loses nothing either.
        package var waitsForDisk: Bool {
            get { settings.synchronous == .full }
            set { settings.synchronous = newValue ? .full : .normal }
        }

        /// A store in memory of at most 256 MB, or in a file.
        package init(path: String? = nil) {
            self.path = path
            if path == nil { settings.maximumBytes = 256 << 20 }
        }
    }
}
