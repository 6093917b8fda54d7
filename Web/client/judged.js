// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/** The kinds of statistics that a server judges, or describes a connection by. */
export const types = new Set([
    "candidate-pair", "codec", "inbound-rtp", "local-candidate", "media-playout", "media-source", "outbound-rtp",
    "remote-candidate", "remote-inbound-rtp", "remote-outbound-rtp", "transport",
]);

/**
 * Their members that are read, by any of the kinds: first what the judgement reads, then what describes a connection and
 * does not change. Addresses and whatever else could identify someone are not among them.
 */
export const members = new Set([
    "active", "audioLevel", "availableOutgoingBitrate", "bytesReceived", "bytesSent", "codecId", "concealedSamples", "concealmentEvents",
    "consentRequestsSent", "contentType", "currentRoundTripTime", "encodingIndex", "estimatedPlayoutTimestamp", "fractionLost", "frameHeight", "frameWidth",
    "frames", "framesDecoded", "framesDropped", "framesEncoded", "framesPerSecond", "framesReceived", "framesSent",
    "freezeCount", "headerBytesReceived", "headerBytesSent", "height", "iceLocalUsernameFragment", "iceState",
    "jitter", "jitterBufferDelay", "jitterBufferEmittedCount", "jitterBufferMinimumDelay", "keyFramesDecoded", "kind", "localId", "mediaSourceId", "mid", "mimeType",
    "nackCount", "nominated", "packetsLost", "packetsReceived", "packetsSent", "pauseCount", "playoutId", "qpSum",
    "qualityLimitationReason", "requestsReceived", "requestsSent", "responsesReceived", "responsesSent",
    "retransmittedBytesReceived", "retransmittedBytesSent", "retransmittedPacketsReceived", "retransmittedPacketsSent",
    "rid", "roundTripTime", "roundTripTimeMeasurements", "rtxSsrc", "scalabilityMode", "selectedCandidatePairId",
    "silentConcealedSamples", "ssrc", "state", "synthesizedSamplesDuration", "targetBitrate", "totalAudioEnergy",
    "totalDecodeTime", "totalEncodeTime", "totalFreezesDuration", "totalInterFrameDelay", "totalPacketSendDelay", "totalPausesDuration", "totalPlayoutDelay", "totalRoundTripTime",
    "totalSamplesCount", "totalSamplesDuration", "totalSamplesReceived", "totalSquaredInterFrameDelay", "width",

    "candidateType", "decoderImplementation", "encoderImplementation", "localCandidateId", "networkType", "protocol",
    "relayProtocol", "remoteCandidateId", "srtpCipher", "tlsVersion", "trackIdentifier",
]);

/** Members that are read only of an object without another one, and which: they change with each report. */
export const substitutes = new Map([
    ["totalInterFrameDelay", "freezeCount"], ["totalSquaredInterFrameDelay", "freezeCount"],
]);
