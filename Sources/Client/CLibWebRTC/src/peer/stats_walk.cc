// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "peer/stats_walk.h"

#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace sightline {
namespace {

using Member = webrtc::RTCStatsMemberInterface;

template <typename T>
const T& ValueOf(const Member& member) {
    return *member.cast_to<webrtc::RTCStatsMember<T>>();
}

/// Turns one statistics object into C members; owns whatever they point to besides the report itself.
class ObjectWalk {
public:
    const std::vector<sl_stats_member>& Collect(const webrtc::RTCStats& object) {
        members_.clear();
        keys_.clear();
        numbers_.clear();
        texts_.clear();
        for (const Member* member : object.Members()) {
            if (member->is_defined()) members_.push_back(Convert(*member));
        }
        return members_;
    }

private:
    sl_stats_member Convert(const Member& member) {
        sl_stats_member out{};
        out.name = member.name();
        switch (member.type()) {
        case Member::kBool: return Integer(out, SL_STATS_BOOL, ValueOf<bool>(member));
        case Member::kInt32: return Integer(out, SL_STATS_INT, ValueOf<int32_t>(member));
        case Member::kInt64: return Integer(out, SL_STATS_INT, ValueOf<int64_t>(member));
        case Member::kUint32: return Unsigned(out, ValueOf<uint32_t>(member));
        case Member::kUint64: return Unsigned(out, ValueOf<uint64_t>(member));
        case Member::kDouble:
            out.kind = SL_STATS_DOUBLE;
            out.double_value = ValueOf<double>(member);
            return out;
        case Member::kString: return Text(out, SL_STATS_STRING, ValueOf<std::string>(member));
        case Member::kMapStringDouble: return Map(out, ValueOf<std::map<std::string, double>>(member));
        case Member::kMapStringUint64: return Map(out, ValueOf<std::map<std::string, uint64_t>>(member));
        case Member::kSequenceString: return Strings(out, ValueOf<std::vector<std::string>>(member));
        case Member::kSequenceInt32: return Numbers(out, ValueOf<std::vector<int32_t>>(member));
        case Member::kSequenceUint32: return Numbers(out, ValueOf<std::vector<uint32_t>>(member));
        case Member::kSequenceInt64: return Numbers(out, ValueOf<std::vector<int64_t>>(member));
        case Member::kSequenceUint64: return Numbers(out, ValueOf<std::vector<uint64_t>>(member));
        case Member::kSequenceDouble: return Numbers(out, ValueOf<std::vector<double>>(member));
        case Member::kSequenceBool: break;
        }
        return Text(out, SL_STATS_JSON, texts_.emplace_back(member.ValueToJson()));
    }

    static sl_stats_member Integer(sl_stats_member out, int32_t kind, int64_t value) {
        out.kind = kind;
        out.int_value = value;
        return out;
    }

    static sl_stats_member Unsigned(sl_stats_member out, uint64_t value) {
        out.kind = SL_STATS_UINT;
        out.uint_value = value;
        return out;
    }

    static sl_stats_member Text(sl_stats_member out, int32_t kind, const std::string& text) {
        out.kind = kind;
        out.text = text.c_str();
        out.text_length = text.size();
        return out;
    }

    template <typename Value>
    sl_stats_member Map(sl_stats_member out, const std::map<std::string, Value>& map) {
        auto& keys = keys_.emplace_back();
        auto& numbers = numbers_.emplace_back();
        for (const auto& [key, value] : map) {
            keys.push_back(key.c_str());
            numbers.push_back(static_cast<double>(value));
        }
        return List(out, SL_STATS_NUMBER_MAP, map.size(), keys.data(), numbers.data());
    }

    sl_stats_member Strings(sl_stats_member out, const std::vector<std::string>& strings) {
        auto& keys = keys_.emplace_back();
        for (const auto& string : strings) keys.push_back(string.c_str());
        return List(out, SL_STATS_STRING_LIST, strings.size(), keys.data(), nullptr);
    }

    template <typename Value>
    sl_stats_member Numbers(sl_stats_member out, const std::vector<Value>& values) {
        auto& numbers = numbers_.emplace_back(values.begin(), values.end());
        return List(out, SL_STATS_NUMBER_LIST, values.size(), nullptr, numbers.data());
    }

    static sl_stats_member List(
        sl_stats_member out, int32_t kind, size_t count, const char* const* keys, const double* numbers) {
        out.kind = kind;
        out.count = count;
        out.keys = keys;
        out.numbers = numbers;
        return out;
    }

    std::vector<sl_stats_member> members_;
    // Deques: members point into their elements, which must not move while more are added.
    std::deque<std::vector<const char*>> keys_;
    std::deque<std::vector<double>> numbers_;
    std::deque<std::string> texts_;
};

bool IsObsolete(const char* type) {
    return std::strcmp(type, "track") == 0 || std::strcmp(type, "stream") == 0;
}

}  // namespace

void WalkStats(const webrtc::RTCStatsReport& report, void* context, sl_stats_object_fn visit) {
    ObjectWalk walk;
    for (const webrtc::RTCStats& object : report) {
        if (IsObsolete(object.type())) continue;
        const auto& members = walk.Collect(object);
        double timestamp_ms = static_cast<double>(object.timestamp_us()) / 1000;
        visit(context, object.type(), object.id().c_str(), timestamp_ms, members.data(), members.size());
    }
}

}  // namespace sightline
