// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Finds a stream's symptoms: figures in, symptoms out.
struct SymptomMonitor: Sendable {
    private var detectors: [SymptomDetector]
    private var levels = LevelHistory()
    private let levelWindow: Double
    private var wasConnected = false

    init(_ definitions: [SymptomDefinition], _ rules: WarningRules) {
        detectors = definitions.map { SymptomDetector($0, rules[keyPath: $0.rule]) }
        levelWindow = rules.constantAudioLevel.duration
    }

    /// Takes a tick.
    mutating func handle(_ figures: SymptomFigures) -> Symptoms {
        var figures = figures
        remember(&figures)
        var result = Symptoms()
        for index in detectors.indices {
            detectors[index].handle(figures)
            if detectors[index].isPresent { result.present.append(detectors[index].symptom) }
            if detectors[index].isSuspected { result.suspected.append(detectors[index].symptom) }
            if detectors[index].isNotApplicable { result.notApplicable.append(detectors[index].symptom) }
        }
        return result
    }

    /// Adds what takes more than one tick.
    private mutating func remember(_ figures: inout SymptomFigures) {
        if figures.isConnected == true { wasConnected = true }
        figures.isDisconnected = wasConnected ? figures.isConnected.map { !$0 } : nil
        guard let expectation = figures.audio.expectation else { return }
        let level = expectation == .media ? figures.audioLevel : nil
        levels.handle(level, at: figures.time, window: levelWindow)
        figures.levelDeviation = levels.deviation(at: figures.time, window: levelWindow)
    }
}

/// Believes one symptom, once its samples have been bad for long enough.
private struct SymptomDetector: Sendable {
    private let definition: SymptomDefinition
    private let rule: WarningRule
    private let duration: Double
    private var badSince: Double?
    private var recent: [Bool] = []
    /// Whether the symptom is there.
    private(set) var isPresent = false
    /// Whether the newest sample was bad.
    private(set) var isSuspected = false
    /// Whether the newest sample had nothing to be about.
    private(set) var isNotApplicable = false

    var symptom: Symptom { definition.symptom }

    init(_ definition: SymptomDefinition, _ rule: WarningRule) {
        self.definition = definition
        self.rule = rule
        duration = definition.debounce == .included ? 0 : rule.duration * 1000
    }

    mutating func handle(_ figures: SymptomFigures) {
        let sample = definition.sample(figures, rule)
        isSuspected = sample == .bad
        isNotApplicable = sample == .notApplicable
        switch (sample, definition.debounce) {
        case (.none, _): break
        case (.notApplicable, _):
            recent = []
            badSince = nil
            isPresent = false
        case (_, .threeOfFour): countBadSamples()
        case (_, .lasting), (_, .included): measureTime(sample, figures)
        }
    }

    private mutating func countBadSamples() {
        recent.append(isSuspected)
        if recent.count > 4 { recent.removeFirst() }
        isPresent = recent.count { $0 } >= 3
    }

    private mutating func measureTime(_ sample: SymptomSample, _ figures: SymptomFigures) {
        switch sample {
        case .bad:
            // Figures are about the time since the tick began.
            let since = badSince ?? figures.begin ?? figures.time
            badSince = since
            if figures.time - since >= duration { isPresent = true }
        case .between:
            // Enough for what is there, not enough for what is not.
            if !isPresent { badSince = nil }
        default:
            badSince = nil
            isPresent = false
        }
    }
}
