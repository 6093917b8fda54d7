// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Observation

/// As in SwiftUI.
@propertyWrapper public struct State<Value> {
    private final class Storage {
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    private let storage: Storage
    /// As in SwiftUI.
    public init(wrappedValue value: Value) { storage = Storage(value) }
    /// As in SwiftUI.
    public var wrappedValue: Value {
        get { storage.value }
        nonmutating set { storage.value = newValue }
    }
    /// As in SwiftUI.
    public var projectedValue: Binding<Value> {
        Binding(get: { storage.value }, set: { storage.value = $0 })
    }
}

/// As in SwiftUI.
@propertyWrapper public struct Binding<Value> {
    private let get: () -> Value
    private let set: (Value) -> Void
    init(get: @escaping () -> Value, set: @escaping (Value) -> Void) { (self.get, self.set) = (get, set) }
    /// As in SwiftUI.
    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }
}

/// As in SwiftUI.
@dynamicMemberLookup @propertyWrapper public struct Bindable<Value: AnyObject & Observable> {
    /// As in SwiftUI.
    public var wrappedValue: Value
    /// As in SwiftUI.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    /// As in SwiftUI.
    public var projectedValue: Bindable<Value> { self }
    /// As in SwiftUI.
    public subscript<Subject>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>
    ) -> Binding<Subject> {
        let object = wrappedValue
        return Binding(get: { object[keyPath: keyPath] }, set: { object[keyPath: keyPath] = $0 })
    }
}
