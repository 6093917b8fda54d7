# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What a session wants, and what the other end says of itself: `intent` and `remote` of a recorded report."""

AUDIO_BITRATE = 32000


def condition(level='excellent', reason='none'):
    """A network condition."""
    return dict(isIdle=False, networkCondition=level, networkConditionReason=reason)


def video_type(stream):
    return 'screen' if stream and stream.is_screen else 'camera'


def routing(call):
    return 'routed' if call.topology == 'sfu' else 'relayed'


def layer_of(stream, layer):
    """A layer of a forwarded stream, as members of the wire."""
    size = dict(width=stream.camera.width // layer.scale, height=stream.camera.height // layer.scale)
    return dict(enabled=True, maximumBitrate=layer.bitrate, size=size)


def publish(call, is_muted=None):
    """Lets the call's reports say what a publisher wants; `is_muted` is a function of time."""
    def intent(time):
        videos, audio = call.sent.video, call.sent.audio
        width, height, fps = call.camera_format
        if videos and videos[0].rid:
            layers = [dict(rid=stream.rid, enabled=stream.is_active, maximumBitrate=stream.maximum,
                           maximumFrameRate=fps,
                           size=dict(width=width // stream.scale, height=height // stream.scale))
                      for stream in videos]
        else:
            layers = [dict(enabled=True, maximumBitrate=videos[0].maximum if videos else 0,
                           maximumFrameRate=fps, size=dict(width=width, height=height))]
        return dict(
            role='publisher', routing=routing(call),
            audio=dict(
                enabled=True, muted=bool(is_muted and is_muted(time)),
                discontinuous=bool(audio and audio[0].dtx),
                maximumBitrate=AUDIO_BITRATE),
            video=dict(
                enabled=bool(videos),
                cameraOn=True, videoType=video_type(videos[0] if videos else None),
                preferredFrameRate=fps, retransmission='ownSSRC', layers=layers))
    call.intent = intent


def subscribe(call, sends_stats=False, is_muted=None, is_video_enabled=None):
    """Lets the call's reports say what a subscriber wants, and what server and publisher say.

    `is_muted` and `is_video_enabled` are functions of time; with `sends_stats` the publisher says how it is.
    """
    def intent(time):
        videos = call.received.video
        stream = videos[0] if videos else None
        is_enabled = is_video_enabled(time) if is_video_enabled else bool(videos)
        video = dict(enabled=is_enabled, cameraOn=True,
                     videoType=video_type(stream), retransmission='ownSSRC')
        if stream:
            video['wantedLayer'] = layer_of(stream, stream.layers[stream.wanted_layer])
        return dict(
            role='subscriber', routing=routing(call),
            audio=dict(enabled=True, muted=bool(is_muted and is_muted(time)), maximumBitrate=AUDIO_BITRATE),
            video=video)

    def remote(_):
        result = dict(senderStatsTrack=sends_stats)
        if call.downlink.is_down or call.uplink.is_down:
            return result
        result['leg'] = dict(age=age(call, .1, .9), value=leg(call))
        result['uplink'] = dict(age=age(call, .1, .9), value=call.publisher_uplink)
        if sends_stats and call.publisher:
            result['publisher'] = dict(age=age(call, .2, 1), value=call.publisher)
        return result

    call.intent, call.remote = intent, remote


def age(call, least, most):
    """How old what someone says is, in seconds."""
    return round(call.random.uniform(least, most), 2)


def leg(call):
    """What the server says of its leg to the subscriber."""
    videos = call.received.video
    value = dict(estimatedBandwidth=int(call.received.congestion.estimate), reason='none')
    if videos:
        stream = videos[0]
        if stream.forwarded_layer > stream.wanted_layer:
            value['reason'] = 'bandwidth'
        value['videoFramesSent'] = stream.frames_encoded
        value['wantedLayer'] = layer_of(stream, stream.layers[stream.wanted_layer])
        value['sentLayer'] = layer_of(stream, stream.layers[stream.forwarded_layer])
    reported = (videos or call.received.audio)[0]
    if reported.receiver_report:
        value['roundTripTime'] = round(reported.receiver_report.round_trip_time, 4)
        value['roundTripTimeMeasurements'] = reported.receiver_reports
    return value
