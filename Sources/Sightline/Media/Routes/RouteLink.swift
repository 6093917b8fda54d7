// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Keeps one end connected: opens its link, as often as it takes.
actor RouteLink {
    /// How long a link may take from its opening to its first connection.
    static let connectionLimit: Duration = .seconds(15)

    private let clock: SessionClock
    private let plan: RecoveryPlan
    private let isEndless: Bool
    private let make: @Sendable (@escaping @Sendable (LinkEvent) -> Void) -> MediaLink
    private let onFailure: @Sendable (RouteLink, SightlineError) -> Void
    private var link: MediaLink?
    private var opening: Task<Void, Never>?
    private var watch: Task<Void, Never>?
    private var hasConnected = false
    private var isClosed = false

    /// Makes a link's keeper.
    ///
    /// - Parameters:
    ///   - isEndless: Whether it goes on trying for as long as the end is wanted.
    ///   - make: Makes a link that reports its events.
    ///   - onFailure: Called when it has given up.
    init(
        _ context: MediaContext, isEndless: Bool,
        make: @escaping @Sendable (@escaping @Sendable (LinkEvent) -> Void) -> MediaLink,
        onFailure: @escaping @Sendable (RouteLink, SightlineError) -> Void
    ) {
        clock = context.configuration.clock
        plan = context.configuration.recovery
        self.isEndless = isEndless
        self.make = make
        self.onFailure = onFailure
    }

    /// Begins to connect.
    func start() {
        guard !isClosed, opening == nil else { return }
        opening = Task { await self.keepOpening() }
    }

    /// Ends the link; returns when nothing of it is left.
    func close() async {
        isClosed = true
        opening?.cancel()
        watch?.cancel()
        let link = link
        self.link = nil
        try? await link?.close(tellingServer: false)
        await opening?.value
        await watch?.value
    }

    /// Puts a new peer connection in place of the present one.
    func replace() async throws { try await link?.replace() }

    private func keepOpening() async {
        var plan = plan
        while !isClosed {
            guard let wait = plan.next() ?? (isEndless ? plan.waits.last : nil) else { break }
            do {
                try await clock.sleep(for: wait)
                try await open()
                watchConnection()
                return
            } catch {
                let error = SightlineError(cause: error)
                if isClosed { return }
                if !RecoveryPlan.isWorthRetrying(error) || !isEndless && plan.attempts >= plan.waits.count {
                    return onFailure(self, error)
                }
            }
        }
    }

    private func open() async throws {
        let link = make { [weak self] event in
            guard let self else { return }
            Task { await self.note(event) }
        }
        self.link = link
        do { _ = try await link.open() } catch {
            try? await link.close(tellingServer: false)
            if self.link === link { self.link = nil }
            throw error
        }
        // Closed while it was being opened: nobody else knows the link.
        if isClosed { try? await link.close(tellingServer: false) }
    }

    /// A way that never connects is none, whatever the engine still hopes for.
    private func watchConnection() {
        guard !isEndless, !isClosed else { return }
        watch = Task {
            do { try await clock.sleep(for: Self.connectionLimit) } catch { return }
            guard !hasConnected, !isClosed else { return }
            onFailure(self, SightlineError(.mediaLost, MediaLink.noPath))
        }
    }

    private func note(_ event: LinkEvent) {
        switch event {
        case .connected: hasConnected = true
        case .failed(let error):
            guard !isClosed else { return }
            guard isEndless else { return onFailure(self, error) }
            reopen()
        default: break
        }
    }

    private func reopen() {
        let old = link
        link = nil
        opening = Task {
            try? await old?.close(tellingServer: false)
            await self.keepOpening()
        }
    }
}
