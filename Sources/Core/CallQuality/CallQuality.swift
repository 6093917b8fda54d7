// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What the observers take and give is the model's: who imports the observers has it as well.
@_exported import CallModel
