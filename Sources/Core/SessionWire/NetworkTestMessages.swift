// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import WebRTCStats

extension ClientMessage {
    /// How the network test of a page stands, and what its connections have said since the last time.
    ///
    /// The page reads and does; the server, which hears the media router as well, decides and judges. Times are ms since
    /// the test began, by the page's clock.
    package struct NetworkTest: Sendable, Equatable, Codable {
        /// What a test is at.
        package enum Course: Sendable, Equatable, Codable {
            /// Its connections are being made.
            case connecting
            /// Media flow, and all that was to be done is done. `fillsUplink`: whether the page can fill its uplink.
            /// `isUnanswered`: whether the media router did not answer in time that it fills the downlink; only
            /// said if so.
            case measuring(fillsUplink: Bool, isUnanswered: Bool? = nil)
            /// It is over, or cannot continue.
            case ended(outcome: Outcome)
        }

        /// When it is.
        package var time: Double
        /// What the test is at.
        package var course: Course
        /// What was read, oldest first.
        package var readings: [Reading]

        /// Most readings of a message: a socket may be held up for half a minute.
        package static let readingLimit = 256
        /// Latest time, ms.
        package static let timeLimit = 600_000.0

        /// Creates a request.
        package init(time: Double, course: Course, readings: [Reading] = []) {
            self.time = time
            self.course = course
            self.readings = readings
        }

        /// What one of its connections says of itself.
        package struct Reading: Sendable, Equatable, Codable {
            /// The leg.
            package var leg: LegName
            /// When it was read.
            package var time: Double
            /// The report as what has changed of it: ``WebRTCStats/ReportRebuilder``.
            package var changes: [StatsValue]

            /// Creates a reading.
            package init(leg: LegName, time: Double, changes: [StatsValue]) {
                self.leg = leg
                self.time = time
                self.changes = changes
            }
        }

        /// How far a test came.
        package struct Outcome: Sendable, Equatable, Codable {
            /// When it began, Unix ms.
            package var start: Double
            /// Its steps as far as they came, in their order.
            package var steps: [PreCallStepResult]
            /// Why it could not be carried through; `nil` if it was.
            package var failure: Failure?

            /// Most steps.
            package static let stepLimit = 64

            /// Describes an outcome.
            package init(start: Double, steps: [PreCallStepResult], failure: Failure? = nil) {
                self.start = start
                self.steps = steps
                self.failure = failure
            }
        }

        /// Why a test could not be carried through.
        package struct Failure: Sendable, Equatable, Codable {
            /// The step that failed.
            package var step: PreCallStep
            /// The kind of failure, such as `timeout`.
            package var code: String
            /// What the page found, for people.
            package var message: String

            /// Describes a failure.
            package init(step: PreCallStep, code: String, message: String) {
                self.step = step
                self.code = code
                self.message = message
            }
        }
    }
}

extension ServerMessage {
    /// What a page's network test is to do.
    package struct NetworkTest: Sendable, Equatable, Codable {
        /// What is to be done, in this order, before the next message.
        package var actions: [QualityPlan.Action]
        /// The end of it; `nil` before.
        package var result: Result?
        /// After how long the page gives up whatever is still under way and asks for the result, ms since the test began;
        /// `nil` if it was said before.
        package var limit: Double?

        /// Creates an answer.
        package init(actions: [QualityPlan.Action] = [], result: Result? = nil, limit: Double? = nil) {
            self.actions = actions
            self.result = result
            self.limit = limit
        }

        /// What a test has found out.
        package struct Result: Sendable, Equatable, Codable {
            /// As the SDK's test reports it.
            package var report: PreCallReport
            /// The verdict in one sentence for people.
            package var sentence: String
            /// Whether it says something of the network: not so if the token, the session or the server was at fault.
            package var isConclusive: Bool

            /// Describes a report.
            package init(_ report: PreCallReport) {
                self.report = report
                sentence = report.sentence
                isConclusive = report.failure?.isOfTheNetwork ?? true
            }
        }
    }
}
