// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// When the server plans a statement that comes again.
package enum PostgresPlanning: Sendable {
    /// It is prepared when it comes for the second time. The server plans it for its values five times more, and from then on
    /// once for all values, unless it expects that to cost more.
    ///
    /// Right for what is found by its key.
    case once
    /// Each time, for its values.
    ///
    /// Planned for all values, a statement expects a third of a table before a time, 0.5 % of it in a span of time, and ten
    /// elements of each array, so that it looks cheap where its values say otherwise. Such a plan also stays as it was made while
    /// a table of a new day was empty, until that is analyzed; and which tables of days a span needs is seen as it runs, once
    /// all of them are locked. So what asks for times, what reads tables that are parted by them, and what takes arrays of
    /// thousands, is planned each time.
    case eachTime
}
