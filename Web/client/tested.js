// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/** The kinds of statistics that a network test reads. */
export const types = new Set([
    "candidate-pair", "inbound-rtp", "local-candidate", "outbound-rtp", "remote-candidate", "remote-inbound-rtp", "transport",
]);

/** Their members that it reads: they go over a network that may carry hardly anything, four times a second. */
export const members = new Set([
    "bytesReceived", "candidateType", "concealedSamples", "consentRequestsSent", "currentRoundTripTime", "dtlsState",
    "frameHeight", "frameWidth", "framesDecoded", "jitter", "jitterBufferDelay", "jitterBufferEmittedCount", "kind", "localCandidateId",
    "nominated", "packetsLost", "packetsReceived", "packetsSent", "protocol", "qualityLimitationReason",
    "remoteCandidateId", "requestsReceived", "requestsSent", "responsesReceived", "responsesSent", "roundTripTime",
    "selectedCandidatePairId", "silentConcealedSamples", "state", "totalFreezesDuration", "totalSamplesReceived",
]);
