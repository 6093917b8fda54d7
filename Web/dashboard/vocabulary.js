// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Written by SIGHTLINE_RECORD=1 swift test --filter SessionServerTests.VocabularyTests from the tables in
// Sources/Core/CallModel: edit those.

/** What people call the words of each vocabulary. */
export const labels = {
    NetworkCondition: {
        unknown: "unknown",
        critical: "critical",
        warning: "warning",
        fair: "fair",
        good: "good",
        excellent: "excellent",
    },
    NetworkReason: {
        none: "nothing wrong",
        unknown: "not enough data",
        bandwidth: "too little bandwidth",
        packetLoss: "packet loss",
        networkConditionChange: "changed network condition",
        connection: "interrupted connection",
    },
    Cause: {
        none: "nothing wrong",
        packetLoss: "packet loss",
        bandwidth: "too little bandwidth",
        latency: "high latency",
        jitter: "high jitter",
        connection: "interrupted connection",
        cpu: "overloaded processor",
        device: "device problem",
        media: "missing audio or video",
        recovering: "recovering",
        unknown: "not enough data",
        outOfSync: "audio and video out of sync",
    },
    NetworkDirection: {
        uplink: "uplink",
        downlink: "downlink",
        both: "both directions",
    },
    NetworkDegradationSource: {
        none: "neither side",
        bothOrUnclear: "both sides, or unclear",
        local: "own side",
        remote: "other side",
        unknown: "unknown side",
        server: "the server's side",
    },
    QualityLimitationReason: {
        none: "nothing",
        bandwidth: "too little bandwidth",
        cpu: "overloaded processor",
        codec: "codec change",
        resolution: "resolution change",
        layerChange: "layer change",
        other: "something else",
    },
    VideoEventReason: {
        none: "no reason",
        publisherPropertyChanged: "switched by the publisher",
        subscriberPropertyChanged: "switched by the subscriber",
        qualityChanged: "switched by audio fallback",
        codecNotSupported: "unsupported codec",
        qualityDegradationBandwidth: "too little bandwidth",
        qualityDegradationCPU: "overloaded processor",
        qualityDegradationOther: "limited by something else",
        codecChange: "codec change",
        resolutionChange: "resolution change",
        videoInterruption: "no frames",
    },
    Warning: {
        highRemoteInboundRTT: "high round-trip time",
        highInboundJitter: "high jitter",
        highInboundPacketLoss: "packet loss",
        missingMediaStream: "interrupted connection",
        constantAudioLevel: "constant audio level",
        zeroAudioLevel: "no audio (level 0)",
        lowOSOutputVolumeLevel: "low output volume",
        lowMOS: "low MOS",
        highOutboundPacketLoss: "packet loss",
        lowBandwidth: "too little bandwidth",
        noMediaReceived: "nothing received",
        noMediaSent: "nothing sent",
        frozenVideo: "freeze",
        cpuLimited: "overloaded encoder",
        decoderOverloaded: "overloaded decoder",
        highAudioConcealment: "audible gaps",
        silentMicrophone: "silent microphone",
        lowCaptureRate: "low capture rate",
        outOfSync: "audio and video out of sync",
        speakingWhileMuted: "speaking while muted",
    },
    Confidence: {
        low: "low confidence",
        medium: "medium confidence",
        high: "high confidence",
    },
};

/** What people are given of why someone or something is gone; `null` where there is nothing to say. */
export const endings = {
    left: null,
    lost: "connection lost",
    unpublished: null,
    forced: "removed by a moderator",
    failed: "media failed",
    ended: "the session was ended",
    shutdown: "the server was stopped",
    serverLost: "the server was lost",
    idle: "did not join in time",
};

/** What audio fallback does to a video. */
export const fallbackStates = {
    on: "video is on",
    warned: "video is about to be switched off",
    off: "video is off in favour of audio",
};

/** Conditions that were determined, from worst to best. */
export const conditions = ["critical", "warning", "fair", "good", "excellent"];

/** Bars of a network quality level. */
export const levels = {
    unknown: null,
    zero: 0,
    one: 1,
    two: 2,
    three: 3,
    four: 4,
    five: 5,
};

/** Bars of a network condition, where the levels are not kept. */
export const conditionLevels = {
    critical: 1,
    warning: 2,
    fair: 3,
    good: 4,
    excellent: 5,
};

/** What problem comes from; a cause that is not here is none. */
export const origins = {
    packetLoss: "network",
    bandwidth: "network",
    latency: "network",
    jitter: "network",
    connection: "network",
    cpu: "device",
    device: "device",
    media: "network",
    outOfSync: "device",
};

/** How people are shown figures: what stands behind them, what they are multiplied by, digits behind the point. */
export const units = {
    bitsPerSecond: { label: "kbit/s", factor: 0.001, decimals: 1 },
    seconds: { label: "ms", factor: 1000, decimals: 1 },
    milliseconds: { label: "ms", factor: 1, decimals: 0 },
    unixTime: { label: null, factor: 1, decimals: 0 },
    fraction: { label: "%", factor: 100, decimals: 2 },
    pixels: { label: "pixels", factor: 1, decimals: 0 },
    perSecond: { label: "fps", factor: 1, decimals: 1 },
    count: { label: null, factor: 1, decimals: 0 },
    score: { label: "1 to 5", factor: 1, decimals: 2 },
};

/** Every figure and word of a sample: what people call it, where it is, and its unit or its vocabulary. */
export const figures = [
    { label: "condition", path: ["networkCondition"], words: "NetworkCondition" },
    { label: "reason", path: ["networkConditionReason"], words: "NetworkReason" },
    { label: "publisher’s condition", path: ["remoteNetworkCondition"], words: "NetworkCondition" },
    { label: "publisher’s reason", path: ["remoteNetworkConditionReason"], words: "NetworkReason" },
    { label: "blamed", path: ["networkDegradationSource"], words: "NetworkDegradationSource" },
    { label: "estimate", path: ["connectionEstimatedBandwidth"], unit: "bitsPerSecond" },
    { label: "round trip time", path: ["roundTripTime"], unit: "seconds" },
    { label: "network loss", path: ["fractionLost"], unit: "fraction" },
    { label: "demand", path: ["bandwidthDemand"], unit: "bitsPerSecond" },
    { label: "cause", path: ["diagnosis", "cause"], words: "Cause" },
    { label: "direction", path: ["diagnosis", "direction"], words: "NetworkDirection" },
    { label: "side", path: ["diagnosis", "side"], words: "NetworkDegradationSource" },
    { label: "confidence", path: ["diagnosis", "confidence"], words: "Confidence" },
    { label: "next best cause", path: ["diagnosis", "runnerUp"], words: "Cause" },
    { label: "severity", path: ["diagnosis", "severity"], unit: "count" },
    { label: "since", path: ["diagnosis", "since"], unit: "unixTime" },
    { label: "evidence: loss", path: ["diagnosis", "evidence", "fractionLost"], unit: "fraction" },
    { label: "evidence: round trip time", path: ["diagnosis", "evidence", "roundTripTime"], unit: "seconds" },
    { label: "evidence: jitter", path: ["diagnosis", "evidence", "jitter"], unit: "seconds" },
    { label: "evidence: estimate", path: ["diagnosis", "evidence", "estimatedBandwidth"], unit: "bitsPerSecond" },
    { label: "evidence: demand", path: ["diagnosis", "evidence", "demand"], unit: "bitsPerSecond" },
    { label: "video packets", path: ["video", "packets"], unit: "count" },
    { label: "video packets lost", path: ["video", "packetsLost"], unit: "count" },
    { label: "video bytes", path: ["video", "bytes"], unit: "count" },
    { label: "video bitrate", path: ["video", "bitrate"], unit: "bitsPerSecond" },
    { label: "video maximum bitrate", path: ["video", "maximumBitrate"], unit: "bitsPerSecond" },
    { label: "video loss", path: ["video", "fractionLost"], unit: "fraction" },
    { label: "video jitter", path: ["video", "jitter"], unit: "seconds" },
    { label: "video MOS", path: ["video", "mos"], unit: "score" },
    { label: "video loss after repair", path: ["video", "residualFractionLost"], unit: "fraction" },
    { label: "video width", path: ["video", "width"], unit: "pixels" },
    { label: "video height", path: ["video", "height"], unit: "pixels" },
    { label: "video frame rate", path: ["video", "frameRate"], unit: "perSecond" },
    { label: "video capture rate", path: ["video", "capturedFrameRate"], unit: "perSecond" },
    { label: "video frames sent", path: ["video", "framesSent"], unit: "count" },
    { label: "video freezes", path: ["video", "freezeCount"], unit: "count" },
    { label: "video frozen", path: ["video", "totalFreezesDuration"], unit: "milliseconds" },
    { label: "video pauses", path: ["video", "pauseCount"], unit: "count" },
    { label: "video paused", path: ["video", "totalPausesDuration"], unit: "milliseconds" },
    { label: "video A/V sync", path: ["video", "avSync"], unit: "seconds" },
    { label: "video limited by", path: ["video", "qualityLimitationReason"], words: "QualityLimitationReason" },
    { label: "audio packets", path: ["audio", "packets"], unit: "count" },
    { label: "audio packets lost", path: ["audio", "packetsLost"], unit: "count" },
    { label: "audio bytes", path: ["audio", "bytes"], unit: "count" },
    { label: "audio bitrate", path: ["audio", "bitrate"], unit: "bitsPerSecond" },
    { label: "audio maximum bitrate", path: ["audio", "maximumBitrate"], unit: "bitsPerSecond" },
    { label: "audio loss", path: ["audio", "fractionLost"], unit: "fraction" },
    { label: "audio jitter", path: ["audio", "jitter"], unit: "seconds" },
    { label: "audio MOS", path: ["audio", "mos"], unit: "score" },
    { label: "audio jitter buffer", path: ["audio", "jitterBufferDelay"], unit: "seconds" },
    { label: "audio level", path: ["audio", "audioLevel"], unit: "fraction" },
    { label: "audio concealment", path: ["audio", "concealment"], unit: "fraction" },
    { label: "audio mouth-to-ear delay", path: ["audio", "mouthToEarDelay"], unit: "seconds" },
];

/** Every figure of one of a sender's layers. */
export const layerFigures = [
    { label: "width", path: ["width"], unit: "pixels" },
    { label: "height", path: ["height"], unit: "pixels" },
    { label: "frame rate", path: ["frameRate"], unit: "perSecond" },
    { label: "bitrate", path: ["bitrate"], unit: "bitsPerSecond" },
];

/** Most layers of a sender. */
export const layerLimit = 3;

/** What is drawn over time: the lines of each chart, and the figure of each layer that takes the video's place. */
export const charts = [
    {
        title: "Bitrate and estimate", unit: "bitsPerSecond", layers: [],
        lines: [
            { name: "video", path: ["video", "bitrate"] },
            { name: "audio", path: ["audio", "bitrate"] },
            { name: "estimate", path: ["connectionEstimatedBandwidth"] },
            { name: "demand", path: ["bandwidthDemand"] },
        ],
    },
    {
        title: "Packet loss", unit: "fraction", layers: [],
        lines: [
            { name: "video", path: ["video", "fractionLost"] },
            { name: "loss after repair", path: ["video", "residualFractionLost"] },
            { name: "audio", path: ["audio", "fractionLost"] },
            { name: "network loss", path: ["fractionLost"] },
        ],
    },
    {
        title: "Round trip time", unit: "seconds", layers: [],
        lines: [
            { name: "round trip time", path: ["roundTripTime"] },
        ],
    },
    {
        title: "Jitter", unit: "seconds", layers: [],
        lines: [
            { name: "video", path: ["video", "jitter"] },
            { name: "audio", path: ["audio", "jitter"] },
        ],
    },
    {
        title: "Frame rate", unit: "perSecond", layers: [],
        lines: [
            { name: "frame rate", path: ["video", "frameRate"] },
            { name: "capture rate", path: ["video", "capturedFrameRate"] },
        ],
    },
    {
        title: "Frame height", unit: "pixels", isStepped: true, layers: ["height"],
        lines: [
            { name: "height", path: ["video", "height"] },
        ],
    },
    {
        title: "Audio level", unit: "fraction", layers: [],
        lines: [
            { name: "level", path: ["audio", "audioLevel"] },
        ],
    },
    {
        title: "Opinion score", unit: "score", least: 1, most: 5, layers: [],
        lines: [
            { name: "video", path: ["video", "mos"] },
            { name: "audio", path: ["audio", "mos"] },
        ],
    },
];

/** Sentences for diagnoses, by cause, direction and side. */
export const sentences = {
    bandwidth: "The estimate is below what the wanted media need. Find out what else uses the line, or lower the resolution.",
    "bandwidth.bothOrUnclear": "The estimate is below what the media need, on both sides or on a side that cannot be determined. Look at both sides' views.",
    "bandwidth.downlink": "The downlink estimate is below what the wanted layer needs. Find out what else receives, or lower the preferred resolution.",
    "bandwidth.remote": "The publisher's uplink estimate is below what its layers need. Look at the publisher's view.",
    "bandwidth.server": "All connections of the router are bad at once. Check its load and its host, unless all clients share a network.",
    "bandwidth.uplink": "The uplink estimate is below what the enabled layers need. Find out what else sends, or lower the resolution.",
    "bandwidth.uplink.none": "The publisher's uplink estimate is below what its layers need. Look at the publisher's view.",
    "bandwidth.uplink.unknown": "The publisher's uplink estimate is below what its layers need. Look at the publisher's view.",
    connection: "Nothing gets through, or ICE is disconnected. Check for a network change, a firewall or a sleeping device.",
    "connection.bothOrUnclear": "Nothing gets through, on both sides or on a side that cannot be determined. Look at both sides' views.",
    "connection.downlink": "Nothing reaches this client, or ICE is disconnected. Check for a network change, a firewall or a sleeping device.",
    "connection.remote": "Nothing arrives from the publisher, while this client's own path is fine. Look at the publisher's view.",
    "connection.server": "All connections of the router are bad at once. Check its load and its host, unless all clients share a network.",
    "connection.uplink": "Nothing this client sends gets through, or ICE is disconnected. Check for a network change, a firewall or a sleeping device.",
    "connection.uplink.none": "Nothing arrives from the publisher, while this client's own path is fine. Look at the publisher's view.",
    "connection.uplink.unknown": "Nothing arrives from the publisher, while this client's own path is fine. Look at the publisher's view.",
    cpu: "The encoder or the decoder cannot keep up; the network is not the limit. Lower resolution or frame rate.",
    "cpu.remote": "The publisher's encoder cannot keep up. Look at the publisher's view.",
    "cpu.uplink.none": "The publisher's encoder cannot keep up. Look at the publisher's view.",
    "cpu.uplink.unknown": "The publisher's encoder cannot keep up. Look at the publisher's view.",
    device: "A capture device delivers silence or too few frames although it is not muted. Try another device.",
    "device.downlink": "Playout underruns on this device, independently of the network. Try another output device.",
    jitter: "Jitter is high. Compare with a call over a cable.",
    "jitter.bothOrUnclear": "Jitter is high, on both sides or on a side that cannot be determined. Look at both sides' views.",
    "jitter.downlink": "Jitter is high on this client's downlink. Compare with a call over a cable.",
    "jitter.remote": "Jitter is high on the publisher's uplink. Look at the publisher's view.",
    "jitter.server": "All connections of the router are bad at once. Check its load and its host, unless all clients share a network.",
    "jitter.uplink": "Jitter is high on this client's uplink. Compare with a call over a cable.",
    "jitter.uplink.none": "Jitter is high on the publisher's uplink. Look at the publisher's view.",
    "jitter.uplink.unknown": "Jitter is high on the publisher's uplink. Look at the publisher's view.",
    latency: "The round trip time is high without a queue. Look for a VPN, a relay or a distant server on the path.",
    "latency.server": "All connections of the router are bad at once. Check its load and its host, unless all clients share a network.",
    media: "The path works, but media that should flow does not. Check permissions, the capture device and the subscription.",
    "media.remote": "This client's path works, but the publisher's media does not arrive. Look at the publisher's view.",
    "media.server": "All connections of the router are bad at once. Check its load and its host, unless all clients share a network.",
    "media.uplink.none": "This client's path works, but the publisher's media does not arrive. Look at the publisher's view.",
    "media.uplink.unknown": "This client's path works, but the publisher's media does not arrive. Look at the publisher's view.",
    none: "No impairment was found. Compare with the other side's view of the same time.",
    outOfSync: "Audio and video of one sender are played at different times. Compare with what another receiver of the same sender sees.",
    packetLoss: "Packets are lost, but the round-trip time does not rise with the loss. Compare with a call over a cable.",
    "packetLoss.bothOrUnclear": "Packets are lost, on both sides or on a side that cannot be determined. Look at both sides' views.",
    "packetLoss.downlink": "Packets are lost on this client's downlink. Compare with a call over a cable; if packets are lost there too, contact the provider.",
    "packetLoss.remote": "Packets are lost on the publisher's uplink; this client's own path is fine. Look at the publisher's view.",
    "packetLoss.server": "All connections of the router are bad at once. Check its load and its host, unless all clients share a network.",
    "packetLoss.uplink": "Packets are lost on this client's uplink. Compare with a call over a cable; if packets are lost there too, contact the provider.",
    "packetLoss.uplink.none": "Packets are lost on the publisher's uplink; this client's own path is fine. Look at the publisher's view.",
    "packetLoss.uplink.unknown": "Packets are lost on the publisher's uplink; this client's own path is fine. Look at the publisher's view.",
    recovering: "The impairment is over, and the bandwidth estimate is still climbing. Look at what came before.",
    unknown: "There is not enough data to judge by. Check that reports arrive and say what was wanted of the media.",
    "unknown.bothOrUnclear": "The path is bad, on both sides or on a side that cannot be determined. Look at both sides' views.",
    "unknown.remote": "The publisher's uplink is bad, and the cause is not known. Look at the publisher's view.",
    "unknown.uplink.none": "The publisher's uplink is bad, and the cause is not known. Look at the publisher's view.",
    "unknown.uplink.unknown": "The publisher's uplink is bad, and the cause is not known. Look at the publisher's view.",
};
