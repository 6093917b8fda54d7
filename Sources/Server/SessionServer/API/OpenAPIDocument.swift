// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The HTTP API's description, `openapi.json` beside this file.
enum OpenAPIDocument {
    static let json = String(decoding: PackageResources.openapi_json, as: UTF8.self)
}
