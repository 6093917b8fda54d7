// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A C ABI over libwebrtc. Read `sl_base.h` first: its rules hold everywhere.
#ifndef CLIBWEBRTC_H
#define CLIBWEBRTC_H

#include "sl_base.h"
#include "sl_conditioner.h"
#include "sl_confinement.h"
#include "sl_data_channel.h"
#include "sl_engine.h"
#include "sl_media.h"
#include "sl_peer.h"
#include "sl_sender.h"
#include "sl_stats.h"
#include "sl_track.h"
#if __has_include("router.h")
#include "router.h"
#endif

#endif
