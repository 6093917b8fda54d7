// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Turns bytes into decisions, one after the other; when there are none left, everything is the first choice.
struct Choices {
    private var rest: Substring.UTF8View

    init(_ text: Substring) { rest = text.utf8 }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func number(below count: Int) -> Int { count > 0 ? Int(byte()) % count : 0 }

    mutating func flag() -> Bool { byte() & 1 == 1 }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[number(below: values.count)] }
}
