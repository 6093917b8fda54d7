// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Names that a server newer than this file sends are not in its lists: pages pass over what they do not know.

/** Who may do what in a session. */
export type Role = "subscriber" | "publisher" | "moderator";
/** How well a network carries what is wanted of it. */
export type NetworkCondition = "unknown" | "critical" | "warning" | "fair" | "good" | "excellent";
/** What drives a condition; `networkConditionChange` where nothing is wrong any more. */
export type NetworkReason = "none" | "unknown" | "bandwidth" | "packetLoss" | "networkConditionChange" | "connection";
/** Whose network is to blame. */
export type Side = "none" | "bothOrUnclear" | "local" | "remote" | "unknown" | "server";
/** What is wrong. */
export type Cause = "none" | "packetLoss" | "bandwidth" | "latency" | "jitter" | "connection" | "cpu" | "device"
    | "media" | "recovering" | "unknown" | "outOfSync";
/** The direction of a path, as seen from this page. */
export type Direction = "uplink" | "downlink" | "both";
/** What the app is warned of. */
export type WarningKind = "highRemoteInboundRTT" | "highInboundJitter" | "highInboundPacketLoss" | "missingMediaStream"
    | "constantAudioLevel" | "zeroAudioLevel" | "lowOSOutputVolumeLevel" | "lowMOS" | "highOutboundPacketLoss"
    | "lowBandwidth" | "noMediaReceived" | "noMediaSent" | "frozenVideo" | "cpuLimited" | "decoderOverloaded"
    | "highAudioConcealment" | "silentMicrophone" | "lowCaptureRate" | "outOfSync" | "speakingWhileMuted";
/** Why video changed. */
export type VideoReason = "none" | "publisherPropertyChanged" | "subscriberPropertyChanged" | "qualityChanged"
    | "codecNotSupported" | "qualityDegradationBandwidth" | "qualityDegradationCPU" | "qualityDegradationOther"
    | "codecChange" | "resolutionChange" | "videoInterruption";
/** How much is reported of participants' network quality; a page gets the level from `minimal` on, those of each medium from
 * `moderate` on. */
export type Verbosity = "none" | "minimal" | "moderate" | "detailed";
/** Whether a subscription's video is sent, is about to be switched off in favour of its audio, or is. */
export type FallbackState = "on" | "warned" | "off";
/** Network quality: 0 (not connected), 1 (bad) to 5 (excellent); `null` while it is not known. */
export type Level = 0 | 1 | 2 | 3 | 4 | 5 | null;
/** What a call was like: 5 is the best. */
export type Score = 1 | 2 | 3 | 4 | 5;

/** One participant's connection to the session. */
export interface Connection {
    readonly id: string;
    /** As the token names the participant, if it does. */
    readonly name?: string;
    /** Unix ms. */
    readonly creationTime: number;
}

/** What someone publishes. */
export interface Stream {
    readonly id: string;
    /** Whose it is. */
    readonly connection: Connection;
    /** Unix ms. */
    readonly creationTime: number;
    /** Whether its publisher shares its own figures with subscribers. */
    readonly senderStatsTrack: boolean;
    readonly content: {
        readonly name?: string;
        /** Whether there is audio, or video, now. */
        readonly hasAudio: boolean;
        readonly hasVideo: boolean;
        readonly videoType: "camera" | "screen" | "custom";
        /** Pixels; omitted without video. */
        readonly videoDimensions?: { readonly width: number; readonly height: number };
    };
}

/** What is wrong with a stream at this page, and how sure that is. */
export interface Diagnosis {
    readonly cause: Cause;
    readonly direction?: Direction;
    /** Of subscriptions; omitted of publications. */
    readonly side?: Side;
    /** 1 (noticeable) to 4 (unusable); omitted while nothing is wrong. */
    readonly severity?: 1 | 2 | 3 | 4;
    readonly confidence?: "low" | "medium" | "high";
    /** What explains the figures next best. */
    readonly runnerUp?: Cause;
    /** When it began, Unix ms. */
    readonly since?: number;
}

/** How a stream does at this page, as the server judges it. */
export interface StreamQuality {
    /** The lower of the levels of audio and video. */
    readonly level: Level;
    readonly audioLevel: Level;
    readonly videoLevel: Level;
    /** Of this page's network. */
    readonly networkCondition: NetworkCondition;
    readonly networkConditionReason: NetworkReason;
    /** Of the publisher's uplink, at a subscription; `unknown` at a publication. */
    readonly remoteNetworkCondition: NetworkCondition;
    /** `null` while it is not known. */
    readonly networkDegradationSource: Side | null;
    /** `null` while it is not known. */
    readonly diagnosis: Diagnosis | null;
    /** What is wrong and what to do, for whoever is in the call; `null` while nothing is wrong. */
    readonly sentence: string | null;
}

/** What an app is warned of: raised once, cleared once. */
export interface Warning {
    readonly reason: WarningKind;
    /** Omitted where it is about none in particular. */
    readonly media?: "audio" | "video";
    readonly direction?: "inbound" | "outbound";
    /** Of one that is cleared: whether it was seen to be over, or there is nothing left that it could be about. */
    readonly recovery?: "measured" | "notApplicable";
    readonly isAlarm: boolean;
}

/** A network condition that changed: this page's, or that of a subscription's publisher. */
export interface NetworkConditionChange {
    readonly side: Side;
    readonly from: NetworkCondition;
    readonly to: NetworkCondition;
    readonly reason: NetworkReason;
    readonly localCondition: NetworkCondition;
    readonly remoteCondition: NetworkCondition;
    /** Whether it is a change to something bad. */
    readonly isAlarm: boolean;
}

/** Video that changed, for the worse or for the better. */
export interface VideoQualityChange {
    readonly reason: VideoReason;
    readonly phase: "trigger" | "recover";
    readonly media: "video";
    readonly isAlarm: boolean;
}

/** How a participant's network does. */
export interface NetworkQuality {
    /** 0 while the participant is reconnecting. */
    readonly level: Level;
    /** Whether nothing is sent nor received: then the level is 5. */
    readonly isIdle: boolean;
    /** `null` without audio, or unless asked for. */
    readonly audioLevel: Level;
    /** `null` without video, or unless asked for. */
    readonly videoLevel: Level;
}

/** What a session is entered with. */
export interface ConnectOptions {
    /** How much is reported of network quality; omitted, nothing is. `local` is `minimal` if omitted, `remote` is `none`. */
    networkQuality?: { local?: Verbosity; remote?: Verbosity };
    /** Estimate of the uplink, bps, below which reports are sent every 2 s, and below half of which every 5 s; 100,000 if
     * omitted. */
    reportThreshold?: number;
}

/** What a stream is published with. */
export interface PublishOptions {
    name?: string;
    /** `camera` if omitted. */
    videoType?: "camera" | "screen" | "custom";
    /** Whether subscribers get this page's own figures; no if omitted. Whose network is to blame they get in any case. */
    senderStatsTrack?: boolean;
    /** Whether a subscriber's video may be switched off to save its audio; yes if omitted. */
    audioFallback?: boolean;
    /** The most that is sent on each connection, bps; no bound if omitted or `null`. Audio takes 32,000 of it, video what remains,
     * which is bounded to no less than 30,000. */
    maximumBitrate?: number | null;
}

/** Why the server refuses something. */
export type RefusalCode = "malformed" | "tooLarge" | "unsupportedVersion" | "invalidToken" | "expiredToken"
    | "unknownSession" | "forbidden" | "notJoined" | "unknownResumption" | "resumptionOver" | "duplicateId"
    | "lostBase" | "unknownLeg" | "unknownStream" | "unknownConnection" | "unsupportedMedia" | "tooMany"
    | "peerUnavailable" | "elsewhere" | "routerUnavailable" | "internal";
/** Why something asked of a session failed: the server refused it, cannot be reached, was restarted meanwhile, or the session is
 * over. */
export type SessionErrorCode = RefusalCode | "unreachable" | "serverRestarted" | "ended";

/** That something asked of a session failed; the message says why and what to do. */
export class SessionError extends Error {
    private constructor();
    /** Newer servers may have others. */
    readonly code: SessionErrorCode | (string & {});
    /** With the code `elsewhere`: a server of the cluster that has the session, and that the client could not follow to. */
    readonly url?: string;
}

/** What happens to a publication or subscription; `detail` has the particulars. */
export interface PartEvents {
    qualitychange: CustomEvent<StreamQuality>;
    networkcondition: CustomEvent<NetworkConditionChange>;
    videoquality: CustomEvent<VideoQualityChange>;
    warning: CustomEvent<Warning>;
    warningrecovered: CustomEvent<Warning>;
    /** It is over; `error` says why if no one here ended it and its stream is not over. */
    ended: CustomEvent<{ readonly error: Error | null }>;
}

/** What happens to a subscription. */
export interface SubscriptionEvents extends PartEvents {
    audiofallback: CustomEvent<{ readonly state: FallbackState }>;
}

/** What happens in a session. */
export interface SessionEvents {
    streamcreated: CustomEvent<{ readonly stream: Stream }>;
    streamupdated: CustomEvent<{ readonly stream: Stream }>;
    /** `reason` is such as `unpublished`, `left` or `lost`. */
    streamdestroyed: CustomEvent<{ readonly stream: Stream; readonly reason: string }>;
    /** Of a participant, by the id of the connection. */
    networkqualitychange: CustomEvent<NetworkQuality & { readonly connection: string; readonly isOwn: boolean }>;
    /** The server cannot be reached for the moment; media may continue. */
    reconnecting: CustomEvent<{}>;
    reconnected: CustomEvent<{}>;
    /** The session is over for this page; `reason` is such as `left`, `lost`, `forced` or `shutdown`. */
    disconnected: CustomEvent<{ readonly reason: string }>;
}

interface Target<Events> extends Omit<EventTarget, "addEventListener" | "removeEventListener"> {
    addEventListener<Type extends keyof Events & string>(
        type: Type, listener: (event: Events[Type]) => void, options?: boolean | AddEventListenerOptions): void;
    removeEventListener<Type extends keyof Events & string>(
        type: Type, listener: (event: Events[Type]) => void, options?: boolean | EventListenerOptions): void;
}

/** A publication or a subscription. */
export interface StreamPart {
    /** How it does; `null` before the server has judged it. */
    readonly quality: StreamQuality | null;
    /** The warnings that are raised. */
    readonly warnings: readonly Warning[];
    readonly isOver: boolean;
    /** Ends it. */
    end(): Promise<void>;
}

/** What this page publishes. */
export interface Publication extends StreamPart, Target<PartEvents> {
    readonly media: MediaStream;
    /** Says whether there is audio and video now; to be called after tracks were enabled or disabled. */
    update(): Promise<void>;
}

/** What this page receives of someone's stream. */
export interface Subscription extends StreamPart, Target<SubscriptionEvents> {
    readonly stream: Stream;
    /** Fills as tracks arrive. */
    readonly media: MediaStream;
}

/** A page in a session; it comes back by itself after the server could not be reached. */
export interface Session extends Target<SessionEvents> {
    readonly id: string;
    readonly role: Role;
    /** The page's own. */
    readonly connection: Connection;
    /** The others' streams. */
    readonly streams: readonly Stream[];
    /** The own network quality; `null` while it is not known, or unless it was asked for. */
    readonly networkQuality: NetworkQuality | null;
    /** A participant's network quality by the id of the connection; `null` while it is not known, or unless asked for. */
    networkQualityOf(connection: string): NetworkQuality | null;
    /** Publishes what a media stream has. Rejects with a `SessionError`: with the last one after six tries, with the code `ended` when
     * the session ends meanwhile. */
    publish(media: MediaStream, options?: PublishOptions): Promise<Publication>;
    /** Subscribes to someone's stream, without its video if so wanted. Rejects with a `SessionError` as `publish` does, and with the code
     * `unknownStream` when the stream ends meanwhile. */
    subscribe(stream: Stream, options?: { video?: boolean }): Promise<Subscription>;
    /** Says what the participant thinks of the call; the last one counts. */
    rate(score: Score, why?: { reason?: string; comment?: string }): Promise<void>;
    /** Leaves the session, as a page does that is closed. While the server cannot be reached, it hears of it later. */
    leave(): void;
}

/** Enters the session of a token: `url` is the server's, such as `https://calls.example.org`. Rejects with a `SessionError`. */
export function connect(url: string | URL, token: string, options?: ConnectOptions): Promise<Session>;

/** A generated video with a soft tone, for those without a camera; `name` stands in the video. */
export function testPattern(
    name: string, size?: { width: number; height: number; rate: number }): { media: MediaStream; end(): void };

/** What can be published. */
export type NetworkTestVerdict = "audioAndVideo" | "audioOnly" | "neither";
/** Steps of a network test, in their order; `tokenAccepted` is the first that reaches a server. */
export type NetworkTestStep = "serverReachable" | "tokenAccepted" | "sessionFree" | "publish" | "subscribe" | "iceCandidates"
    | "udpPath" | "dtls" | "mediaReceived" | "bandwidth" | "quality" | "audioOnly";
/** How good video or audio would be. */
export type NetworkTestGrade = "excellent" | "acceptable" | "unsupported";

/** What one step took, ms since the test began. */
export interface NetworkTestStepResult {
    readonly step: NetworkTestStep;
    readonly start: number;
    readonly duration: number;
    readonly outcome: "passed" | "failed";
}

/** The limit that was not met. */
export interface NetworkTestReason {
    readonly medium: "audio" | "video";
    readonly direction: "uplink" | "downlink";
    readonly cause: "bandwidth" | "packetLoss" | "cpu" | "noMedia" | "notMeasured";
    /** bps, or a share of the packets. */
    readonly measured?: number;
    readonly limit: number;
}

/** What of a medium is possible. What is not known is omitted. */
export interface NetworkTestMedia {
    readonly isSupported: boolean;
    readonly reason?: NetworkTestReason;
    /** 0 to 1. */
    readonly confidence?: number;
    readonly grade?: NetworkTestGrade;
    /** Opinion score of what came back, 1 to 4.5 (audio) or 5 (video). */
    readonly mos?: number;
    readonly frameRate?: number;
    /** Payload that arrived, bps, and its jitter, s. */
    readonly uplink: { readonly bitrate?: number; readonly jitter?: number };
    readonly downlink: { readonly bitrate?: number; readonly jitter?: number };
}

/** One direction of the network. What is not known is omitted. */
export interface NetworkTestPath {
    /** What arrived at the far end under more load, bps. */
    readonly bandwidth?: number;
    /** Whether it carried all there was, so that the bandwidth is at least that. */
    readonly bandwidthIsAtLeast: boolean;
    /** 0 to 1, before any repair. */
    readonly fractionLost?: number;
    readonly packets?: number;
    /** s. */
    readonly roundTripTime?: number;
    readonly supportsAudio?: boolean;
    readonly supportsVideo?: boolean;
}

/** What happens in between, twice a second. What is not known is omitted. */
export interface NetworkTestSample {
    /** ms since the test began. */
    readonly time: number;
    readonly step: NetworkTestStep;
    /** bps, with all headers. */
    readonly uplinkBitrate?: number;
    readonly downlinkBitrate?: number;
    readonly uplinkLoss?: number;
    readonly downlinkLoss?: number;
    readonly roundTripTime?: number;
}

/** What a network test has found out: as the SDK's `NetworkTestReport`, by the server's rules. What is not known is omitted. */
export interface NetworkTestReport {
    readonly verdict: NetworkTestVerdict;
    /** The verdict for people. */
    readonly sentence: string;
    /** Of the verdict, 0 to 1. */
    readonly confidence?: number;
    /** Why the network let the test not be carried through; the verdict is `neither` then. */
    readonly failure?: {
        readonly step: NetworkTestStep; readonly code: string; readonly message: string; readonly advice: string;
    };
    readonly endedEarly: boolean;
    /** Unix ms, and ms. */
    readonly timing: { readonly start: number; readonly end: number; readonly duration: number };
    readonly steps: readonly NetworkTestStepResult[];
    readonly connectivity: {
        readonly candidates: readonly { readonly type: string; readonly transport: string; readonly count: number }[];
        readonly selectedCandidatePair?: {
            readonly localType: string; readonly remoteType: string; readonly transport: string;
        };
        readonly turnNeeded?: boolean;
    };
    readonly audio?: NetworkTestMedia;
    readonly video?: NetworkTestMedia;
    readonly uplink?: NetworkTestPath;
    readonly downlink?: NetworkTestPath;
    /** The largest frames that the uplink carries; omitted where video is not possible or nothing is known of it. */
    readonly recommendation?: { readonly width: number; readonly height: number; readonly frameRate: number };
    /** What limited the test's own video. */
    readonly limitation?: "cpu" | "bandwidth";
    readonly sizes: readonly { readonly width: number; readonly height: number; readonly grade: NetworkTestGrade }[];
    readonly samples: readonly NetworkTestSample[];
}

/** How far a test is. */
export interface NetworkTestProgress {
    readonly step: NetworkTestStep;
    /** 0 to 1; never less than before. */
    readonly fraction: number;
    /** The step that has just ended. */
    readonly completed?: NetworkTestStepResult;
    readonly sample?: NetworkTestSample;
}

/** What a network test is made with. */
export interface NetworkTestOptions {
    /** The server's, such as `https://calls.example.org`. */
    url: string | URL;
    /** Of someone who may publish, for a routed session that no one else uses. */
    token: string;
    /** What is sent in place of noise and a tone: audio and video. It cannot fill the uplink, whose bandwidth is known then only as
     * what this took. */
    media?: MediaStream;
    onProgress?: (progress: NetworkTestProgress) => void;
    /** Ends the test, which rejects with the signal's reason. */
    signal?: AbortSignal;
}

/** That a test could not be made for a reason that is not the network's: the server, the token, the session. The message says what
 * to do. */
export class NetworkTestError extends Error {
    private constructor();
    readonly step: NetworkTestStep;
    readonly code: string;
    /** What to do. */
    readonly advice: string;
}

/**
 * Finds out before a call what can be published here and now: audio and video, audio only, or neither, and why. Takes 5 to 15 s, and
 * neither camera nor microphone; to be begun when someone clicks, for else browsers play nothing. Rejects with a `NetworkTestError`.
 */
export function testNetwork(options: NetworkTestOptions): Promise<NetworkTestReport>;
