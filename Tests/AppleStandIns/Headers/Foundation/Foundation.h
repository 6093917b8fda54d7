// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
//
// As much of Foundation as WebRTC's public Objective-C headers name, so that Swift's importer reads them where there is
// no Foundation for Objective-C. Nothing here is ever compiled into anything.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef bool BOOL;
typedef long NSInteger;
typedef unsigned long NSUInteger;
typedef double NSTimeInterval;
typedef double CFTimeInterval;
typedef double CGFloat;
typedef uint32_t FourCharCode;

#define NS_ENUM(type, name) \
  enum __attribute__((enum_extensibility(open))) name : type name; enum name : type
#define NS_OPTIONS(type, name) \
  enum __attribute__((flag_enum, enum_extensibility(open))) name : type name; enum name : type
#define NS_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define NS_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#define NS_UNAVAILABLE __attribute__((unavailable))
#define NS_DESIGNATED_INITIALIZER __attribute__((objc_designated_initializer))
#define NS_CLASS_AVAILABLE_IOS(version)
#define NS_AVAILABLE_MAC(version)
#define NS_EXTENSION_UNAVAILABLE_IOS(message)
#define DEPRECATED_ATTRIBUTE __attribute__((deprecated))
#define DEPRECATED_MSG_ATTRIBUTE(message) __attribute__((deprecated(message)))
// What Foundation's own annotations say of its classes.
#define BRIDGED_TO(type) __attribute__((swift_bridge(type)))

typedef struct CGSize {
  CGFloat width, height;
} CGSize;

NS_ASSUME_NONNULL_BEGIN

@protocol NSObject
@end

__attribute__((objc_root_class)) @interface NSObject<NSObject>
+ (instancetype)alloc;
- (instancetype)init;
@end

@protocol NSCopying
@end
@protocol NSCoding
@end

BRIDGED_TO("Swift.String") @interface NSString : NSObject<NSCopying>
@end
BRIDGED_TO("Swift.Error") @interface NSError : NSObject
@end
BRIDGED_TO("Swift.Array") @interface NSArray<__covariant Element> : NSObject
@end
BRIDGED_TO("Swift.Dictionary") @interface NSDictionary<Key, __covariant Value> : NSObject
@end
@interface NSData : NSObject
@end
@interface NSDate : NSObject
@end
@interface NSNumber : NSObject
@end
@interface NSValue : NSObject
@end

NS_ASSUME_NONNULL_END
