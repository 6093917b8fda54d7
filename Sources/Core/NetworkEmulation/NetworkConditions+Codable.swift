// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// As JSON, each direction is an object of conditions by their names: {"up":{"loss":5},"down":{"rate":500}}. What is not named
// is perfect; a name that there is not and a value out of range are refused.

extension NetworkConditions: Codable {
    private enum Key: String, CodingKey { case up, down }

    /// Reads the conditions of both directions; one that is absent is perfect.
    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: Key.self)
        up = try container.decodeIfPresent(Link.self, forKey: .up) ?? Link()
        down = try container.decodeIfPresent(Link.self, forKey: .down) ?? Link()
    }

    /// Writes what differs from a perfect network.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(up, forKey: .up)
        try container.encode(down, forKey: .down)
    }
}

extension NetworkConditions.Link: Codable {
    /// Reads conditions by their names.
    ///
    /// - Throws: `DecodingError`, with the sentence of ``NetworkConditions/SyntaxError`` as what is wrong.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let values = try container.decode([String: Double].self)
        do { try self.init(values: values) } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    /// Writes what differs from a perfect link.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(imperfections)
    }
}
