// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import Foundation
import MediaPolicy
// Its limits and timeouts are part of the configuration.
@_exported import SessionCore
import SessionWire

/// How a session server is set up.
package struct SessionServerConfiguration: Sendable {
    /// Certificate and key for HTTPS and WSS.
    package struct TLSFiles: Sendable, Equatable {
        /// PEM file with the certificate chain, the server's own first.
        package var certificateChain: String
        /// PEM file with the private key.
        package var privateKey: String

        /// Names the files.
        package init(certificateChain: String, privateKey: String) {
            self.certificateChain = certificateChain
            self.privateKey = privateKey
        }
    }

    /// How the media router is started.
    package struct Router: Sendable, Equatable {
        /// Path of the executable; not looked up in `PATH`.
        package var executable: String
        /// All its arguments.
        package var arguments: [String]
        /// How many run beside each other, from 1 on; a session is on one of them.
        package var count: Int
        /// Threads that carry the media of each, of which its load is a share.
        package var threads: Int

        /// Names a program that speaks the router protocol over its standard input.
        package init(
            executable: String, arguments: [String] = ["router"], count: Int = 1, threads: Int = 2
        ) {
            self.executable = executable
            self.arguments = arguments
            self.count = max(1, count)
            self.threads = threads
        }
    }

    /// How browsers and proxies reach the server.
    package struct Site: Sendable, Equatable {
        /// The address that people use, such as `https://calls.example.org`; needed behind a proxy.
        ///
        /// With `https` cookies are for TLS only. `nil` if people use the address that the server listens on.
        package var publicURL: URL?
        /// Origins, such as `https://app.example.org`, whose pages may open sockets beside the server's own;
        /// `*` for all.
        ///
        /// The API's cookie is of no use to them all the same.
        package var allowedOrigins: [String] = []
        /// Whether `X-Forwarded-Proto` is believed: only behind a proxy that sets it on every request.
        package var trustsProxy = false

        /// Pages of the server itself only, and no proxy.
        package init() {}
    }

    /// Which build of the server this is; `unknown` is written as such.
    package struct Build: Sendable, Equatable {
        /// Of the release.
        package var version: String
        /// The commit it is built from.
        package var commit: String

        /// Names a build.
        package init(version: String = "unknown", commit: String = "unknown") {
            self.version = version
            self.commit = commit
        }
    }

    /// Shortest secret of an application, bytes.
    package static let minimumSecretLength = 32

    /// What the server calls itself in its metrics.
    package var build = Build()
    /// Address or name to listen on.
    package var host = "127.0.0.1"
    /// TCP port; 0 for any that is free.
    package var port = 8080
    /// `nil` for plain HTTP and WS.
    package var tls: TLSFiles?
    /// How browsers and proxies reach the server.
    package var site = Site()
    /// The application that may create sessions and tokens; the issuer of its tokens.
    package var applicationID: String
    /// Its secret, which signs tokens and is the password of the HTTP interface.
    ///
    /// ``minimumSecretLength`` bytes or more.
    package var applicationSecret: String
    /// A token that opens the metrics and nothing else; `nil` for none.
    ///
    /// It has no end, as programs that read them need it; ``minimumSecretLength`` bytes or more.
    package var metricsToken: String?
    /// `nil` for a server without media: everything that needs a router is refused with `routerUnavailable`.
    package var router: Router?
    /// Storage of the calls; `nil` for none, and telemetry is acknowledged on arrival.
    package var store: Store? = Store()
    /// Who is notified of sustained issues, and of many bad calls at once.
    package var alertReceivers: [AlertReceiver] = []
    /// When many calls at once are bad.
    package var fleetRule = FleetRule()
    /// Who is sent metrics and traces by OTLP; `nil` for no one.
    package var otlp: OTLPExport?
    /// STUN servers, and TURN servers of fixed credentials, that clients are given.
    package var iceServers: [ICEServer] = []
    /// A TURN server whose credentials are made for each client; `nil` for none.
    package var turn: TURNConfiguration?
    /// Sessions that exist from the start and never end for want of clients.
    package var sessions: [String] = []
    /// Limits.
    package var limits = SessionServerLimits()
    /// The limits by which the router's reports are judged, and by which subscribers' video gives way to audio.
    package var quality = QualityConfiguration.extended
    /// Whether tokens with the scope `emulate` may make clients' networks worse, at the router's end of their paths.
    package var allowsNetworkEmulation = false
    /// Clients that have their emulated networks in themselves, which the same tokens may change; `nil` for none, as
    /// everywhere but in a demo.
    package var clientNetworks: ClientNetworks?
    /// Directory of the dashboard's files, for development; `nil` for those built in.
    package var webDirectory: String?
    /// Timeouts.
    package var timeouts = SessionServerTimeouts()

    /// A server for one application, on this machine only.
    package init(applicationID: String, applicationSecret: String, router: Router? = nil) {
        self.applicationID = applicationID
        self.applicationSecret = applicationSecret
        self.router = router
    }
}
