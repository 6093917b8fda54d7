// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#pragma once
#import <Foundation/Foundation.h>

typedef NS_ENUM(NSInteger, UIViewContentMode) {
  UIViewContentModeScaleToFill,
  UIViewContentModeScaleAspectFit,
  UIViewContentModeScaleAspectFill
};

@interface UIView : NSObject
@end
