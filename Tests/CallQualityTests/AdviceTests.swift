// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing

/// The sentences for callers and support, as a set.
@Suite struct AdviceTests {
    private static let diagnoses: [Diagnosis] = Diagnosis.Cause.allCases.flatMap { cause in
        ([nil] + NetworkDirection.allCases.map(Optional.some)).flatMap { direction in
            ([nil] + NetworkDegradationSource.allCases.map(Optional.some)).map { side in
                Diagnosis(cause: cause, direction: direction, side: side)
            }
        }
    }

    @Test("every cause, direction and side has a sentence for everyone")
    func complete() {
        for diagnosis in Self.diagnoses {
            for audience in DiagnosisSentences.Audience.allCases {
                #expect(
                    DiagnosisSentences().sentence(for: diagnosis, to: audience) != nil,
                    "\(audience) \(diagnosis)")
            }
        }
    }

    @Test("every entry of the table is reached by some diagnosis")
    func reached() {
        for (key, sentence) in DiagnosisSentences.english {
            let audience = DiagnosisSentences.Audience.allCases.first { key.hasPrefix($0.rawValue) }
            let single = DiagnosisSentences(table: [key: sentence])
            #expect(
                Self.diagnoses.contains { diagnosis in
                    audience.flatMap { single.sentence(for: diagnosis, to: $0) } == sentence
                }, "\(key)")
        }
    }

    @Test("a caller reads two short sentences without jargon: what it is, and what to do")
    func caller() {
        let jargon = [
            "packet", "jitter", "latency", "bandwidth", "bitrate", "estimate", "uplink", "downlink", "ICE",
            "codec", "encoder", "decoder", "router", "publisher", "subscriber", "layer", "round trip", "CPU",
            "processor", "queue",
        ]
        let actions = [
            "There is nothing to do", "Move", "Use", "Turn", "Switch", "Stop", "Ask", "Check", "Wait",
            "Close",
            "Leave",
        ]
        for (key, sentence) in DiagnosisSentences.english where key.hasPrefix("caller.") {
            #expect(sentence.count <= 105, "\(key)")
            for word in jargon { #expect(!sentence.contains(word), "\(key)") }
            #expect(actions.contains { sentence.contains(". \($0)") }, "\(key) says what to do")
        }
    }

    @Test("support reads what was found, and where to look next")
    func support() {
        let actions = ["Compare", "Look", "Find out", "Check", "Lower", "Try"]
        for (key, sentence) in DiagnosisSentences.english where key.hasPrefix("support.") {
            #expect(sentence.count <= 130, "\(key)")
            #expect(actions.contains { sentence.contains(". \($0)") }, "\(key) says what to do")
        }
    }

    @Test("a report's reader learns which side should do what")
    func reader() {
        let sentences = DiagnosisSentences.english.filter { $0.key.hasPrefix("reportReader.") }
        #expect(!sentences.isEmpty)
        for (key, sentence) in sentences {
            #expect(sentence.count <= 150, "\(key)")
            #expect(!sentence.contains("our "), "\(key): it is no one's who reads it")
            #expect(sentence.contains("sending side") == key.contains("uplink"), "\(key)")
            #expect(sentence.contains("receiving side") == key.contains("downlink"), "\(key)")
        }
    }

    @Test("no one is shown their own network as the cause when it is the other side's, nor the reverse")
    func sides() {
        for diagnosis in Self.diagnoses {
            // These are the device's, or have no side.
            guard ![.none, .cpu, .device, .latency, .recovering].contains(diagnosis.cause) else { continue }
            let sentence = DiagnosisSentences().sentence(for: diagnosis, to: .caller) ?? ""
            switch diagnosis.side {
            case .remote, .bothOrUnclear, .server:
                #expect(!sentence.contains("Your "), "\(diagnosis)")
                #expect(!sentence.contains("What you "), "\(diagnosis)")
            case nil, .local: #expect(!sentence.contains("other side"), "\(diagnosis)")
            case .unknown?, NetworkDegradationSource.none?: break
            }
            if diagnosis.side == .server, diagnosis.cause.origin == .network {
                #expect(sentence.contains("call service"), "\(diagnosis)")
            }
            if diagnosis.side == .remote {
                #expect(sentence.contains("other side"), "\(diagnosis)")
            }
        }
    }
}
