// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Receives the events of a network test.
///
/// Calls come one after the other, never two at a time, on the actor that runs the test.
public protocol NetworkTestDelegate: AnyObject {
    /// The test made progress.
    func networkTest(_ test: NetworkTest, didProgress progress: NetworkTestProgress)
    /// It is over.
    func networkTest(_ test: NetworkTest, didFinishWith report: NetworkTestReport)
}

extension NetworkTestDelegate {
    /// Does nothing.
    public func networkTest(_ test: NetworkTest, didProgress progress: NetworkTestProgress) {}
}
