// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The HTTP API's description, `openapi.json` beside this file.
enum OpenAPIDocument {
    static let json = EmbeddedFiles.openAPI
}
