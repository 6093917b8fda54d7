// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The C ABI alone: `link_model.h` is C++, for CLibWebRTC's sources.
#ifndef CLINKMODEL_H
#define CLINKMODEL_H

#include "sl_link_model.h"

#endif
