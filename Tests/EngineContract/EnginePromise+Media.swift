// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine
import Testing

extension EnginePromise {
    static let media: [EnginePromise] = [
        EnginePromise("a codec that there is not is refused, and leaves nothing behind") { subject in
            let peer = try subject.makePeer()
            await expectFailure(.unsupported) { _ = try peer.addVideo(nil, SendParameters(codec: "AV2")) }
            await expectFailure(.unsupported) { _ = try peer.addAudio(nil, SendParameters(codec: "VP8")) }
            // Names of codecs have no case.
            _ = try peer.addVideo(nil, SendParameters(codec: "vp8"))
            _ = try peer.addAudio(nil, SendParameters(codec: "OPUS"))
            peer.close()
        },
        EnginePromise("sources are those of the engine") { subject in
            let peer = try subject.makePeer()
            let foreign = ForeignSource()
            await expectFailure(.unsupported) { _ = try peer.addVideo(foreign, SendParameters()) }
            await expectFailure(.unsupported) { _ = try peer.addAudio(foreign, SendParameters()) }
            let video = try peer.addVideo(nil, SendParameters())
            let audio = try peer.addAudio(nil, SendParameters())
            await expectFailure(.unsupported) { try video.replace(with: foreign as any VideoSource) }
            await expectFailure(.unsupported) { try audio.replace(with: foreign as any AudioSource) }
            try video.replace(with: subject.makeVideo())
            try audio.replace(with: subject.makeAudio())
            peer.close()
        },
        EnginePromise("a sender keeps to its kind and its layers, and may be changed at any time") {
            subject in
            let peer = try subject.makePeer()
            let layers = [Encoding(rid: "q", scaleResolutionDownBy: 2), Encoding(rid: "h")]
            let video = try peer.addVideo(
                subject.makeVideo(), SendParameters(codec: "VP8", encodings: layers))
            let audio = try peer.addAudio(subject.makeAudio(), SendParameters(encodings: [Encoding()]))
            await expectFailure(.invalidArgument) { try audio.replace(with: subject.makeVideo()) }
            await expectFailure(.invalidArgument) { try audio.replace(with: nil as (any VideoSource)?) }
            await expectFailure(.invalidArgument) { try video.replace(with: subject.makeAudio()) }
            for index in [-1, 2] {
                await expectFailure(.invalidArgument) { try video.setEncoding(Encoding(), at: index) }
            }
            let changed = Encoding(
                isActive: false, maxBitrate: 200_000, maxFramerate: 15, scaleResolutionDownBy: 4)
            for index in [0, 1] { try video.setEncoding(changed, at: index) }
            try video.setEncoding(Encoding(), at: 1)
            try audio.setEncoding(Encoding(maxBitrate: 32_000), at: 0)
            video.setEnabled(false)
            try video.replace(with: nil as (any VideoSource)?)
            try video.replace(with: subject.makeVideo())
            video.setEnabled(true)
            peer.close()
        },
        EnginePromise("whatever gives way can be chosen") { subject in
            let peer = try subject.makePeer()
            for degradation in [.disabled, .maintainFramerate, .maintainResolution, .balanced]
                as [DegradationPreference]
            {
                let parameters = SendParameters(encodings: [Encoding()], degradation: degradation)
                _ = try peer.addVideo(subject.makeVideo(), parameters)
            }
            peer.close()
        },
        EnginePromise("numbers out of range are refused") { subject in
            let peer = try subject.makePeer()
            for bounds in [[-1, nil, nil], [nil, 0, nil], [nil, nil, -5], [2_000_000, nil, 1_000_000]]
                as [[Int?]]
            {
                await expectFailure(.invalidArgument) {
                    try peer.setBitrate(minimum: bounds[0], start: bounds[1], maximum: bounds[2])
                }
            }
            try peer.setBitrate(minimum: 50_000, start: 500_000, maximum: 1_000_000)
            try peer.setBitrate(minimum: nil, start: nil, maximum: nil)
            for times in [-1, 65_536] {
                await expectFailure(.invalidArgument) {
                    let wrong = DataChannelConfiguration(label: "x", maxRetransmits: times)
                    _ = try peer.createDataChannel(wrong)
                }
            }
            peer.close()
        },
    ]
}
