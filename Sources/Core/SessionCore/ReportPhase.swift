// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// When the media router reports a leg, compared with when the leg's client does.
///
/// A client's report is judged with what the router has said until then. Both come once a second, and what the router has measured
/// just after one of them is a second old with the next: it is judged a second late. So the router is asked to report a little
/// before the client, where chance has it otherwise.
///
/// Pure: times in, a request out.
struct ReportPhase: Sendable {
    /// How long before the client the router is to report, in ms: what it says has to be there, by most paths.
    private static let lead = 250.0
    /// How old what it said may be when the client measures, in ms.
    private static let fitting = 100.0...550
    /// How often the router reports, and the clients' intervals that can be compared with that, in ms.
    private static let interval = 1000.0
    private static let comparable = 700.0...1300
    /// How many reports in a row have to find it otherwise, and how long nothing is asked again.
    private static let confirmation = 3
    private static let pause: Duration = .seconds(10)

    /// When the router last reported.
    private var reported: Duration?
    /// When the client last measured.
    private var measured: Duration?
    private var misfits = 0
    private var asked: Duration?

    /// The router has reported.
    mutating func noteRouter(at now: Duration) { reported = now }

    /// The client has reported what it measured at a time.
    ///
    /// - Returns: In how long the router should report next; `nil` if it need not be asked.
    mutating func noteClient(measured time: Duration, at now: Duration) -> Duration? {
        // Reports that come together, or late, are of one leg all the same.
        guard time > measured ?? .zero else { return nil }
        let interval = measured.map { (time - $0).milliseconds }
        measured = time
        guard let interval, Self.comparable.contains(interval), let reported else {
            misfits = 0
            return nil
        }
        misfits = Self.fitting.contains((time - reported).milliseconds) ? 0 : misfits + 1
        guard misfits >= Self.confirmation, asked.map({ now - $0 >= Self.pause }) ?? true else { return nil }
        (misfits, asked) = (0, now)
        let late = max(0, (now - time).milliseconds + Self.lead)
        return .milliseconds(Self.interval - late.truncatingRemainder(dividingBy: Self.interval))
    }
}
