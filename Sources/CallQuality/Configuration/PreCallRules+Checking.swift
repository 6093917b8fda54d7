// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension PreCallRules {
    /// Makes sure that every value makes sense.
    ///
    /// - Throws: ``QualityConfigurationError`` that names every value that does not.
    public func validate() throws(QualityConfigurationError) {
        var problems: [String] = []
        check("preCall", &problems)
        if !problems.isEmpty { throw QualityConfigurationError(problems: problems) }
    }
}
