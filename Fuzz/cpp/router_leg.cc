// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// What a client can send once its connection is up: RTP, RTCP, STUN and garbage into the legs of a router.
//
// From outside this is behind DTLS and SRTP, through which no fuzzer finds its way. So encryption is off
// here, and the socket is one that hands packets straight to libwebrtc's network thread: everything after
// decryption is the real thing, from the demultiplexer by way of depacketizer, frame buffer and pass-through
// codecs to the subscribers' packetizers, of a VP8 and of an H.264 stream.
//
// Input: packets, each a byte of choices, two bytes of length and the rest; see `Packet`.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "api/transport/stun.h"
#include "abi/completion.h"
#include "emulation/conditioner.h"
#include "peer/descriptions.h"
#include "peer/engine.h"
#include "p2p/base/basic_packet_socket_factory.h"
#include "router/audio.h"
#include "router/congestion.h"
#include "router/guarded_call.h"
#include "router/leg.h"
#include "router/leg_wiring.h"
#include "router/stream.h"
#include "router/task_queues.h"
#include "router/video_codec.h"
#include "rtc_base/time_utils.h"

namespace {

using namespace sightline;

constexpr char kPassword[] = "jkMndMAYG9pFMDwYjwK/yMZG";
constexpr char kFragment[] = "W+6a";
constexpr uint16_t kFirstClientPort = 40000;

const rtc::SocketAddress kNowhere("127.0.0.1", kFirstClientPort);

/// The router's end of one path: what it sends is looked at for connectivity checks and thrown away.
class FuzzSocket final : public rtc::AsyncPacketSocket {
public:
    explicit FuzzSocket(const rtc::SocketAddress& address) : address_(address) {}

    rtc::SocketAddress GetLocalAddress() const override { return address_; }
    rtc::SocketAddress GetRemoteAddress() const override { return {}; }
    int Send(const void* data, size_t size, const rtc::PacketOptions& options) override {
        return SendTo(data, size, kNowhere, options);
    }
    int SendTo(const void* data, size_t size, const rtc::SocketAddress& to,
               const rtc::PacketOptions& options) override;
    int Close() override { return 0; }
    State GetState() const override { return STATE_BOUND; }
    int GetOption(rtc::Socket::Option, int*) override { return -1; }
    int SetOption(rtc::Socket::Option, int) override { return 0; }
    int GetError() const override { return 0; }
    void SetError(int) override {}

    void Receive(const std::vector<uint8_t>& packet, const rtc::SocketAddress& from) {
        SignalReadPacket(this, reinterpret_cast<const char*>(packet.data()), packet.size(), from, rtc::TimeMicros());
    }

private:
    const rtc::SocketAddress address_;
};

// By the port of the client whose leg they belong to; network thread only.
std::vector<FuzzSocket*> new_sockets;
std::atomic<uint64_t> packets_sent{0};

class FuzzSocketFactory final : public rtc::BasicPacketSocketFactory {
public:
    explicit FuzzSocketFactory(rtc::SocketFactory* sockets) : BasicPacketSocketFactory(sockets) {}
    rtc::AsyncPacketSocket* CreateUdpSocket(const rtc::SocketAddress& address, uint16_t, uint16_t) override {
        static uint16_t port = 50000;
        auto* socket = new FuzzSocket(rtc::SocketAddress(address.ipaddr(), port++));
        if (address.family() == AF_INET) new_sockets.push_back(socket);
        return socket;
    }
};

int FuzzSocket::SendTo(
    const void* data, size_t size, const rtc::SocketAddress& to, const rtc::PacketOptions& options) {
    ++packets_sent;
    SignalSentPacket(this, rtc::SentPacket(options.packet_id, rtc::TimeMillis()));
    rtc::ByteBufferReader reader(static_cast<const char*>(data), size);
    cricket::IceMessage check;
    if (!check.Read(&reader) || check.type() != cricket::STUN_BINDING_REQUEST) return static_cast<int>(size);
    cricket::IceMessage response(cricket::STUN_BINDING_RESPONSE, check.transaction_id());
    response.AddAttribute(
        std::make_unique<cricket::StunXorAddressAttribute>(cricket::STUN_ATTR_XOR_MAPPED_ADDRESS, address_));
    response.AddMessageIntegrity(kPassword);
    response.AddFingerprint();
    rtc::ByteBufferWriter writer;
    response.Write(&writer);
    std::vector<uint8_t> bytes(writer.Data(), writer.Data() + writer.Length());
    rtc::Thread::Current()->PostTask([this, bytes, to] { Receive(bytes, to); });
    return static_cast<int>(size);
}

std::string Section(const char* kind, const char* types, const char* mid, bool sends) {
    return std::string("m=") + kind + " 9 UDP/TLS/RTP/SAVPF " + types
        + "\r\nc=IN IP4 0.0.0.0\r\na=ice-ufrag:" + kFragment + "\r\na=ice-pwd:" + kPassword
        + "\r\na=fingerprint:sha-256 40:9D:F3:95:9A:CD:38:FC:B1:55:59:80:6B:54:8C:34:50:AA:CD:8A:24:A6:57:B6:D5:D9:C9:"
          "78:07:E0:6C:1A\r\na=setup:actpass\r\na=rtcp-mux\r\na=mid:"
        + mid + "\r\na=" + (sends ? "sendonly" : "recvonly")
        + "\r\na=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
          "\r\na=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
          "\r\na=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid\r\n";
}

std::string Offer(bool is_h264, bool sends, uint16_t port) {
    std::string offer = "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0 1\r\n"
        + Section("audio", "111", "0", sends) + "a=candidate:1 1 udp 1 127.0.0.1 " + std::to_string(port)
        + " typ host\r\na=rtpmap:111 opus/48000/2\r\na=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level\r\n"
        + (sends ? "a=ssrc:1000 cname:x\r\n" : "") + Section("video", "96 97", "1", sends)
        + "a=rtpmap:96 " + (is_h264 ? "H264" : "VP8") + "/90000\r\na=rtpmap:97 rtx/90000\r\na=fmtp:97 apt=96\r\n"
        + (is_h264 ? "a=fmtp:96 packetization-mode=1;profile-level-id=42e01f\r\n" : "")
        + "a=rtcp-fb:96 nack\r\na=rtcp-fb:96 nack pli\r\na=rtcp-fb:96 ccm fir\r\na=rtcp-fb:96 goog-remb\r\n"
          "a=rtcp-fb:96 transport-cc\r\na=extmap:13 urn:3gpp:video-orientation\r\na=rtcp-rsize\r\n";
    if (sends) offer += "a=ssrc-group:FID 1001 1002\r\na=ssrc:1001 cname:x\r\na=ssrc:1002 cname:x\r\n";
    return offer;
}

struct Leg {
    std::shared_ptr<RouterLeg> leg;
    FuzzSocket* socket = nullptr;
    rtc::SocketAddress client;
};

/// A publisher and a subscriber leg of a VP8 and of an H.264 stream, connected.
class Bench {
public:
    Bench();
    void Inject(size_t leg, const std::vector<uint8_t>& packet) {
        const Leg& to = legs_[leg % legs_.size()];
        shared_->engine->network()->BlockingCall([&] { to.socket->Receive(packet, to.client); });
    }
    /// Waits until what was injected has been worked on, but for what waits for time to pass.
    void Settle() {
        shared_->engine->worker()->BlockingCall([] {});
        shared_->engine->network()->BlockingCall([] {});
    }

private:
    void Add(bool is_h264, bool sends, const std::shared_ptr<RouterStream>& stream);
    void Connect(const Leg& leg, const std::string& answer);

    std::shared_ptr<RouterShared> shared_ = std::make_shared<RouterShared>();
    std::unique_ptr<rtc::Thread> control_ = rtc::Thread::Create();
    std::vector<Leg> legs_;
};

Bench::Bench() {
    InitializeProcess("WebRTC-ForcePlayoutDelay/min_ms:0,max_ms:0/WebRTC-VideoRateControl/alr_probing:true/"
                      "WebRTC-Bwe-InjectedCongestionController/Enabled/");
    shared_->cloakroom = std::make_shared<AudioPacketCloakroom>();
    shared_->legs = std::make_shared<LegRegistry>();
    EngineOptions options;
    options.audio_encoders = CreatePassThroughAudioEncoders(shared_->cloakroom);
    options.video_encoders = CreatePassThroughEncoderFactory();
    options.video_decoders = CreatePassThroughDecoderFactory();
    options.task_queues = std::make_unique<PooledTaskQueueFactory>(MakeTaskQueuePool(2));
    options.audio_device = CreateSilentAudioDevice();
    options.congestion_control = CreateWatchedCongestionControl();
    options.event_logs = CreateLegEventLogs(shared_->legs);
    options.calls = CreateGuardedCallFactory();
    shared_->engine = Engine::Create(std::move(options));
    webrtc::PeerConnectionFactoryInterface::Options factory;
    factory.disable_encryption = true;
    factory.network_ignore_mask = 0;
    shared_->engine->factory()->SetOptions(factory);
    shared_->loopback_only = true;
    shared_->candidates.allows_loopback = true;
    shared_->min_bitrate = 30'000;
    shared_->start_bitrate = 600'000;
    shared_->max_bitrate = 6'000'000;
    shared_->on_candidate = [](auto&&...) {};
    shared_->on_connection_state = [](auto&&...) {};
    control_->Start();
    shared_->control = control_.get();
    for (const bool is_h264 : {false, true}) {
        auto stream = std::make_shared<RouterStream>();
        Add(is_h264, true, stream);
        Add(is_h264, false, stream);
    }
}

void Bench::Add(bool is_h264, bool sends, const std::shared_ptr<RouterStream>& stream) {
    const uint64_t number = legs_.size() + 1;
    const auto port = static_cast<uint16_t>(kFirstClientPort + number);
    Leg entry;
    entry.client = rtc::SocketAddress("127.0.0.1", port);
    std::promise<std::string> answered;
    new_sockets.clear();
    control_->BlockingCall([&] {
        std::shared_ptr<SubscriberLeg> subscriber;
        if (sends) {
            entry.leg = std::make_shared<PublisherLeg>(number, shared_, stream);
        } else {
            entry.leg = subscriber = std::make_shared<SubscriberLeg>(number, shared_, stream);
        }
        if (!entry.leg->Connect(nullptr).ok()) abort();
        entry.leg->Negotiate(Offer(is_h264, sends, port), Completion<std::string>([&](auto answer) {
                                 if (!answer.ok()) fprintf(stderr, "%s\n", answer.error().message());
                                 if (!answer.ok()) abort();
                                 answered.set_value(answer.value());
                             }));
    });
    const std::string answer = answered.get_future().get();
    while (!entry.socket) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        entry.socket = shared_->engine->network()->BlockingCall(
            [] { return new_sockets.empty() ? nullptr : new_sockets.back(); });
    }
    Connect(entry, answer);
    if (!sends) {
        const auto subscriber = std::static_pointer_cast<SubscriberLeg>(entry.leg);
        subscriber->video()->Select(stream->layers().front()->id(), false);
    }
    legs_.push_back(entry);
}

std::string Value(const std::string& text, const std::string& name) {
    const size_t start = text.find(name) + name.size();
    return text.substr(start, text.find_first_of("\r\n", start) - start);
}

// Nominates the path, as the client's end does.
void Bench::Connect(const Leg& leg, const std::string& answer) {
    cricket::IceMessage check(cricket::STUN_BINDING_REQUEST);
    check.AddAttribute(std::make_unique<cricket::StunByteStringAttribute>(
        cricket::STUN_ATTR_USERNAME, Value(answer, "a=ice-ufrag:") + ":" + kFragment));
    check.AddAttribute(std::make_unique<cricket::StunUInt64Attribute>(cricket::STUN_ATTR_ICE_CONTROLLING, 1));
    check.AddAttribute(std::make_unique<cricket::StunUInt32Attribute>(cricket::STUN_ATTR_PRIORITY, 1));
    check.AddAttribute(std::make_unique<cricket::StunByteStringAttribute>(cricket::STUN_ATTR_USE_CANDIDATE));
    check.AddMessageIntegrity(Value(answer, "a=ice-pwd:"));
    check.AddFingerprint();
    rtc::ByteBufferWriter writer;
    check.Write(&writer);
    const std::vector<uint8_t> bytes(writer.Data(), writer.Data() + writer.Length());
    for (int i = 0; i < 10; ++i) {
        shared_->engine->network()->BlockingCall([&] { leg.socket->Receive(bytes, leg.client); });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

/// Makes a packet of an input's bytes: what has to be right to get further than the door is put in front of
/// them.
class PacketMaker {
public:
    std::vector<uint8_t> Make(uint8_t choices, const uint8_t* data, size_t size) {
        std::vector<uint8_t> packet;
        switch (choices >> 2 & 7) {
            case 0: break;  // As it comes.
            case 1: Header(packet, 111, 1000, 960, true); break;
            case 2: Video(packet, 96, 1001, choices & 32); break;
            case 3: Video(packet, 97, 1002, choices & 32); break;
            // VP8, the first of a frame that begins a frame of its own.
            case 4: Video(packet, 96, 1001, choices & 32); Add(packet, {0x10, 0x10, 0, 0, 0x9d, 1, 0x2a}); break;
            // RTCP of a known type and any length.
            case 5: Rtcp(packet, data, size); return packet;
            // With header extensions of one byte.
            case 6: Header(packet, choices & 32 ? 96 : 111, choices & 32 ? 1001 : 1000, 3000, true);
                packet[0] |= 0x10; Add(packet, {0xbe, 0xde, 0, 3}); break;
            // H.264: parameter sets, so that what follows is taken for the frame of a known size.
            default: Video(packet, 96, 1001, false);
                Add(packet, {24, 0, 9, 0x67, 0x42, 0xe0, 0x1f, 0xda, 2, 0x80, 0xbf, 0xe5, 0, 4, 0x68, 0xce, 6, 0xe2}); break;
        }
        packet.insert(packet.end(), data, data + size);
        return packet;
    }

private:
    static void Add(std::vector<uint8_t>& packet, std::initializer_list<uint8_t> bytes) {
        packet.insert(packet.end(), bytes);
    }
    void Header(std::vector<uint8_t>& packet, uint8_t type, uint32_t source, uint32_t step, bool marker) {
        const uint16_t number = ++numbers_[source];
        const uint32_t time = times_[source] += step;
        const auto byte = [](uint32_t value, int shift) { return static_cast<uint8_t>(value >> shift); };
        Add(packet, {0x80, static_cast<uint8_t>(type | (marker ? 0x80 : 0)), byte(number, 8), byte(number, 0),
                     byte(time, 24), byte(time, 16), byte(time, 8), byte(time, 0), byte(source, 24),
                     byte(source, 16), byte(source, 8), byte(source, 0)});
    }
    /// One of video, with the transport-wide sequence number without which it does not pass.
    void Video(std::vector<uint8_t>& packet, uint8_t type, uint32_t source, bool marker) {
        Header(packet, type, source, 3000, marker);
        packet[0] |= 0x10;
        ++transport_number_;
        Add(packet, {0xbe, 0xde, 0, 1, 0x31, static_cast<uint8_t>(transport_number_ >> 8),
                     static_cast<uint8_t>(transport_number_), 0});
    }
    static void Rtcp(std::vector<uint8_t>& packet, const uint8_t* data, size_t size) {
        if (size < 2) return;
        const size_t words = (size - 2) / 4;
        Add(packet, {static_cast<uint8_t>(0x80 | (data[0] & 0x1f)), static_cast<uint8_t>(200 + data[1] % 8),
                     static_cast<uint8_t>(words >> 8), static_cast<uint8_t>(words)});
        packet.insert(packet.end(), data + 2, data + 2 + words * 4);
        packet.resize(4 + words * 4);
        if (packet.size() == 4) packet.resize(8), packet[3] = 1;
    }

    uint16_t transport_number_ = 0;
    std::map<uint32_t, uint16_t> numbers_;
    std::map<uint32_t, uint32_t> times_;
};

}  // namespace

namespace sightline {

// In place of the emulated network's.
std::unique_ptr<rtc::PacketSocketFactory> CreateConditionedSocketFactory(
    rtc::SocketFactory* sockets, std::shared_ptr<Conditioner>, Direction, DatagramUse) {
    return std::make_unique<FuzzSocketFactory>(sockets);
}

// In place of `descriptions.cc`: without encryption, and so in the terms of plain RTP.
webrtc::RTCErrorOr<ParsedDescription> ParseDescription(const Description& description) {
    std::string text;
    for (size_t start = 0; start < description.sdp.size();) {
        const size_t end = std::min(description.sdp.find('\n', start), description.sdp.size() - 1) + 1;
        std::string line = description.sdp.substr(start, end - start);
        start = end;
        if (line.starts_with("a=fingerprint:") || line.starts_with("a=setup:")) continue;
        const size_t profile = line.find("UDP/TLS/RTP/SAVPF");
        if (profile != std::string::npos) line.replace(profile, strlen("UDP/TLS/RTP/SAVPF"), "RTP/AVPF");
        text += line;
    }
    webrtc::SdpParseError error;
    auto parsed = webrtc::CreateSessionDescription(description.type, text, &error);
    if (parsed) return parsed;
    return webrtc::RTCError(webrtc::RTCErrorType::SYNTAX_ERROR, error.description);
}

void RequestOfOpus(webrtc::SessionDescriptionInterface&, const char*) {}

}  // namespace sightline

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    // Never taken down: the process ends without its threads being asked.
    static auto* bench = new Bench;
    static PacketMaker maker;
    constexpr size_t kHead = 3;
    constexpr size_t kLongestPacket = 1500;
    int count = 0;
    while (size >= kHead && count++ < 64) {
        const uint8_t choices = data[0];
        const size_t length = std::min<size_t>(data[1] << 8 | data[2], std::min(size - kHead, kLongestPacket));
        bench->Inject(choices & 3, maker.Make(choices, data + kHead, length));
        data += kHead + length;
        size -= kHead + length;
    }
    bench->Settle();
    return 0;
}
