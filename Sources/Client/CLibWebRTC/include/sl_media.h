// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Test media: sources of video and audio that need no device.
///
/// Sources run from creation to destruction, whether a sender uses them or not, on one thread that all of
/// them share. Several senders may share a source; each adapts size and rate on its own.
#ifndef SL_MEDIA_H
#define SL_MEDIA_H

#include "sl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Owned by the caller until `sl_video_source_destroy`; senders that still use it then get no more frames.
typedef struct sl_video_source sl_video_source;

/// A moving test card with its frame number in it.
typedef struct sl_test_card {
    /// 16 to 4096; frame numbers need 64 pixels of width.
    int32_t width, height;
    /// 0.1 to 120, clamped.
    double fps;
    /// Encoded like a shared screen rather than a camera.
    bool is_screen;
} sl_test_card;

/// Null on failure, with `error` (may be null) filled in.
sl_video_source *sl_test_card_create(const sl_test_card *card, sl_error *error);
/// Plays a YUV4MPEG2 file (8-bit 4:2:0) over and over, at its own rate. Null on failure.
sl_video_source *sl_video_file_create(const char *path, sl_error *error);
void sl_video_source_destroy(sl_video_source *source);
/// 0.1 to 120, clamped; any time.
void sl_video_source_set_rate(sl_video_source *source, double fps);
/// Still: the same frame again and again; on the test card only the number continues.
void sl_video_source_set_still(sl_video_source *source, bool still);
/// A disabled source gives no frames at all.
void sl_video_source_set_enabled(sl_video_source *source, bool enabled);
/// Makes every frame take this much longer to encode, up to 2000 ms, which libwebrtc takes for a slow CPU.
void sl_video_source_set_encode_delay(sl_video_source *source, int32_t delay_ms);
/// Frames painted so far.
uint64_t sl_video_source_frames(const sl_video_source *source);
/// The size of its frames.
void sl_video_source_size(const sl_video_source *source, int32_t *width, int32_t *height);

/// Owned by the caller until `sl_audio_source_destroy`; senders that still use it then get no more audio.
typedef struct sl_audio_source sl_audio_source;

/// Unknown kinds are silence.
enum {
    SL_AUDIO_SILENCE = 0,
    SL_AUDIO_TONE = 1,
    /// Syllables and pauses with the spectrum of a voice.
    SL_AUDIO_SPEECH = 2,
};

typedef struct sl_audio_signal {
    int32_t kind;
    /// Of a tone; 0 to 20 000.
    double frequency_hz;
    /// Of speech: equal seeds sound alike.
    uint64_t seed;
} sl_audio_signal;

/// `level` is the peak amplitude, 0 to 1 of full scale.
sl_audio_source *sl_audio_signal_create(const sl_audio_signal *signal, double level);
/// Plays a WAVE file (16-bit PCM, mono or stereo, 8 to 48 kHz, up to ten minutes) over and over. Null on
/// failure.
sl_audio_source *sl_audio_file_create(const char *path, double level, sl_error *error);
void sl_audio_source_destroy(sl_audio_source *source);
/// Changes what is heard, from the next 10 ms on.
void sl_audio_source_set_signal(sl_audio_source *source, const sl_audio_signal *signal);
void sl_audio_source_set_level(sl_audio_source *source, double level);

/// Fills `samples` with what a signal sounds like at level 1, 48 kHz mono, full scale 1: `count` is a
/// multiple of 480, the rest is left alone. For tests; uses no thread.
void sl_audio_signal_render(const sl_audio_signal *signal, float *samples, size_t count);
/// The samples of a WAVE file at 48 kHz, up to `capacity` of them into `samples` (may be null with capacity
/// 0); returns how many there are in all, or -1 with `error` filled in.
int64_t sl_wav_read(const char *path, float *samples, size_t capacity, sl_error *error);

/// Writes a frame number (modulo 2^24) into the top rows of a luma plane, as 32 black or white cells with a
/// check sum among them, which survive scaling and compression. Does nothing to planes less than 64 pixels
/// wide.
void sl_frame_number_write(uint8_t *luma, int32_t stride, int32_t width, int32_t height, uint32_t number);
/// The frame number in a luma plane; -1 if there is none to be read.
int64_t sl_frame_number_read(const uint8_t *luma, int32_t stride, int32_t width, int32_t height);

/// A decoded frame, planes valid only during the callback.
typedef struct sl_frame {
    int32_t width, height;
    /// The test card's frame number; -1 if the frame carries none.
    int64_t number;
    /// When the callback began, on the monotonic clock of `sl_monotonic_us`.
    int64_t received_us;
    uint32_t rtp_timestamp;
    const uint8_t *y, *u, *v;
    int32_t stride_y, stride_u, stride_v;
} sl_frame;

/// Runs on a decoder's thread, one frame at a time: the next frame waits for its return.
typedef void (*sl_frame_fn)(void *context, const sl_frame *frame);

/// Decoded audio as it is played out, usually 10 ms; samples valid only during the callback.
typedef struct sl_audio_block {
    /// 16-bit PCM, channels interleaved.
    const int16_t *samples;
    /// Samples of each channel.
    int32_t count;
    int32_t channels, sample_rate;
    /// When the callback began, on the monotonic clock of `sl_monotonic_us`.
    int64_t received_us;
} sl_audio_block;

/// Runs on the thread that plays audio out, which waits for its return.
typedef void (*sl_audio_fn)(void *context, const sl_audio_block *block);

/// The clock of the engine, in µs from an arbitrary start.
int64_t sl_monotonic_us(void);

#ifdef __cplusplus
}
#endif
#endif
