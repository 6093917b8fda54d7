// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// The names that rtcstats clients write as numbers.
///
/// Numbers are never given to another name; one that is not here stays as it came.
enum RTCStatsNames {
    /// A member of a report that stands for the time of all its entries.
    static let time = "t"

    /// The name of a call or event; `nil` for what is neither a name nor a number.
    static func method(_ value: StatsValue) -> String? {
        if let text = value.text { return text == shortReport ? report : methods[text] ?? text }
        guard let number = value.number, let whole = Int(exactly: number) else { return nil }
        return methods[String(whole)] ?? String(whole)
    }

    /// The name of a type of entry; `nil` for what is neither a name nor a number.
    static func type(_ value: StatsValue) -> String? {
        if let text = value.text { return text }
        guard let number = value.number, let whole = Int(exactly: number) else { return nil }
        return types.indices.contains(whole - 1) ? types[whole - 1] : String(whole)
    }

    /// The name of a member of an entry.
    static func member(_ name: String) -> String {
        if name == time { return "timestamp" }
        guard let first = name.utf8.first, first >= UInt8(ascii: "0"), first <= UInt8(ascii: "9") else {
            return name
        }
        return members[name] ?? name
    }

    /// What a report is called.
    static let report = "getStats"
    private static let shortReport = "g"

    /// By number.
    private static let methods: [String: String] = [
        "1": "getStats",
        "2": "createOffer",
        "3": "createOfferOnSuccess",
        "4": "createAnswer",
        "5": "createAnswerOnSuccess",
        "6": "setLocalDescription",
        "7": "setLocalDescriptionOnSuccess",
        "8": "setRemoteDescription",
        "9": "setRemoteDescriptionOnSuccess",
        "10": "addIceCandidate",
        "11": "addIceCandidateOnSuccess",
        "12": "createOfferOnFailure",
        "13": "createAnswerOnFailure",
        "14": "setLocalDescriptionOnFailure",
        "15": "setRemoteDescriptionOnFailure",
        "16": "addIceCandidateOnFailure",
        "20": "onicecandidate",
        "21": "onicecandidateerror",
        "22": "ontrack",
        "23": "onsignalingstatechange",
        "24": "oniceconnectionstatechange",
        "25": "onconnectionstatechange",
        "26": "onicegatheringstatechange",
        "27": "onnegotiationneeded",
        "28": "ondatachannel",
        "30": "addTrack",
        "31": "addTrackOnSuccess",
        "32": "addTransceiver",
        "33": "addTransceiverOnSuccess",
        "34": "removeTrack",
        "35": "createDataChannel",
        "36": "close",
        "37": "restartIce",
        "38": "setConfiguration",
        "39": "create",
        "40": "constraints",
        "41": "setCodecPreferences",
        "42": "setHeaderExtensionsToNegotiate",
        "50": "setParameters",
        "51": "replaceTrack",
        "60": "navigator.mediaDevices.getUserMedia",
        "61": "navigator.mediaDevices.getUserMediaOnSuccess",
        "63": "navigator.mediaDevices.getDisplayMedia",
        "64": "navigator.mediaDevices.getDisplayMediaOnSuccess",
        "65": "navigator.mediaDevices.getUserMediaOnFailure",
        "66": "navigator.mediaDevices.enumerateDevices",
        "67": "navigator.mediaDevices.ondevicechange",
        "68": "navigator.mediaDevices.getDisplayMediaOnFailure",
        "70": "MediaStreamTrack.stop",
        "71": "MediaStreamTrack.applyConstraints",
        "72": "MediaStreamTrack.onended",
        "73": "MediaStreamTrack.onmute",
        "74": "MediaStreamTrack.onunmute",
        "80": "HTMLMediaElement.resize",
    ]

    /// In the order of their numbers, from 1.
    private static let types = [
        "inbound-rtp", "outbound-rtp", "remote-inbound-rtp", "remote-outbound-rtp", "transport",
        "candidate-pair", "local-candidate", "remote-candidate", "data-channel", "peer-connection",
        "certificate", "media-source", "media-playout", "codec",
    ]

    /// By number.
    private static let members: [String: String] = Dictionary(
        uniqueKeysWithValues: memberNames.split(whereSeparator: \.isWhitespace).enumerated().compactMap {
            index, name in
            name == "-" ? nil : (String(index + 4), String(name))
        })

    /// In the order of their numbers, from 4; a dash for a number that is not used.
    private static let memberNames = """
        payloadType transportId mimeType clockRate channels sdpFmtpLine ssrc kind codecId -
        packetsReceived packetsLost jitter trackIdentifier mid remoteId framesDecoded keyFramesDecoded
        framesDropped frameWidth frameHeight framesPerSecond qpSum totalDecodeTime totalInterFrameDelay
        totalSquaredInterFrameDelay pauseCount totalPausesDuration freezeCount totalFreezesDuration
        lastPacketReceivedTimestamp headerBytesReceived packetsDiscarded fecPacketsReceived
        fecPacketsDiscarded fecBytesReceived fecSsrc bytesReceived nackCount firCount pliCount
        totalProcessingDelay estimatedPlayoutTimestamp jitterBufferDelay jitterBufferTargetDelay
        jitterBufferEmittedCount jitterBufferMinimumDelay totalSamplesReceived concealedSamples
        silentConcealedSamples concealmentEvents insertedSamplesForDeceleration
        removedSamplesForAcceleration audioLevel totalAudioEnergy totalSamplesDuration framesReceived
        decoderImplementation playoutId powerEfficientDecoder framesAssembledFromMultiplePackets
        totalAssemblyTime contentType googTimingFrameInfo retransmittedPacketsReceived
        retransmittedBytesReceived rtxSsrc totalCorruptionProbability totalSquaredCorruptionProbability
        corruptionMeasurements localId roundTripTime totalRoundTripTime fractionLost
        roundTripTimeMeasurements packetsSent bytesSent mediaSourceId rid encodingIndex headerBytesSent
        retransmittedPacketsSent retransmittedBytesSent targetBitrate totalEncodedBytesTarget framesSent
        hugeFramesSent framesEncoded keyFramesEncoded totalEncodeTime totalPacketSendDelay
        qualityLimitationReason qualityLimitationDurations qualityLimitationResolutionChanges
        encoderImplementation powerEfficientEncoder active scalabilityMode remoteTimestamp reportsSent
        echoReturnLoss echoReturnLossEnhancement width height frames synthesizedSamplesDuration
        synthesizedSamplesEvents totalPlayoutDelay totalSamplesCount dataChannelsOpened
        dataChannelsClosed label protocol dataChannelIdentifier state messagesSent messagesReceived
        iceRole iceLocalUsernameFragment dtlsState iceState selectedCandidatePairId localCertificateId
        remoteCertificateId tlsVersion dtlsCipher dtlsRole srtpCipher selectedCandidatePairChanges
        rtcpTransportStatsId address port candidateType priority url relayProtocol foundation
        relatedAddress relatedPort usernameFragment tcpType networkType - - localCandidateId
        remoteCandidateId nominated lastPacketSentTimestamp currentRoundTripTime
        availableOutgoingBitrate availableIncomingBitrate requestsReceived requestsSent
        responsesReceived responsesSent consentRequestsSent packetsDiscardedOnSend bytesDiscardedOnSend
        - fingerprint fingerprintAlgorithm base64Certificate issuerCertificateId psnrMeasurements
        psnrSum packetsReceivedWithEct1 packetsReceivedWithCe packetsReportedAsLost
        packetsReportedAsLostButRecovered packetsWithBleachedEct1Marking packetsSentWithEct1
        ccfbMessagesSent ccfbMessagesReceived
        """
}
