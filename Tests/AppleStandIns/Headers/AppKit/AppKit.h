// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#pragma once
#import <Foundation/Foundation.h>

@interface NSView : NSObject
@end
