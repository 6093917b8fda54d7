// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Hummingbird

/// A request for an operation.
struct APICall: Sendable {
    let operation: APIOperation
    let request: Request
    let context: BasicRequestContext

    /// A name in the path, as it was before it was encoded for the address.
    ///
    /// - Throws: ``APIError`` 400 if it is encoded as nothing is.
    func name(_ parameter: APIParameter.Name) throws(APIError) -> String {
        try context.name(parameter.rawValue)
    }

    /// The session, or observed call, that it is about, or narrows itself to; `nil` if it is about none in particular.
    ///
    /// - Throws: ``APIError`` 400 if its name is encoded as nothing is.
    var session: String? {
        get throws(APIError) {
            let names: [APIParameter.Name] = [.session, .call]
            guard let parameter = operation.parameters.first(where: { names.contains($0.name) }) else {
                return nil
            }
            return switch parameter.place {
            case .path: try name(parameter.name)
            case .query: request.uri.queryParameters[parameter.name.rawValue[...]].map(String.init)
            }
        }
    }
}
