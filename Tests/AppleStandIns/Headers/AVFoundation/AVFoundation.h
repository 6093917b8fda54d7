// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#pragma once
#import <Foundation/Foundation.h>

typedef struct __CVBuffer *CVPixelBufferRef;
typedef NS_OPTIONS(NSUInteger, AVAudioSessionCategoryOptions) { AVAudioSessionCategoryOptionMixWithOthers = 1 };
typedef NS_ENUM(NSUInteger, AVAudioSessionRouteChangeReason) { AVAudioSessionRouteChangeReasonUnknown };
typedef NSUInteger AVAudioSessionPortOverride;

@interface AVAudioSession : NSObject
@end
@interface AVAudioSessionRouteDescription : NSObject
@end
@interface AVAudioSessionDataSourceDescription : NSObject
@end
@interface AVAudioSessionPortDescription : NSObject
@end
@interface AVCaptureSession : NSObject
@end
@interface AVCaptureDevice : NSObject
@end
@interface AVCaptureDeviceFormat : NSObject
@end
