// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
//
// What AppleWebRTC uses and the installed headers (of January 2023) do not have yet. Docs/apple-headers.md names the source of
// each, and what else differs.
#pragma once
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

@interface RTCRtpCodecCapability : NSObject
@property(nonatomic, readonly) NSString *name;
- (instancetype)init NS_UNAVAILABLE;
@end

@interface RTCRtpCapabilities : NSObject
@property(nonatomic, copy) NSArray<RTCRtpCodecCapability *> *codecs;
- (instancetype)init NS_UNAVAILABLE;
@end

@interface RTCRtpEncodingParameters (Later)
@property(nonatomic, copy, nullable) NSString *scalabilityMode;
@end

// Both methods have the same name in Swift, so the importer gives the one that throws the argument `error: ()`.
@interface RTCRtpTransceiver (Later)
- (BOOL)setCodecPreferences:(NSArray<RTCRtpCodecCapability *> *_Nullable)codecs error:(NSError **_Nullable)error;
- (void)setCodecPreferences:(NSArray<RTCRtpCodecCapability *> *_Nullable)codecs DEPRECATED_ATTRIBUTE;
@end

typedef NS_ENUM(NSInteger, RTCAudioDeviceModuleType) {
  RTCAudioDeviceModuleTypePlatformDefault,
  RTCAudioDeviceModuleTypeAudioEngine
};

typedef struct {
  BOOL isInputAvailable;
  BOOL isOutputAvailable;
} RTCAudioEngineAvailability;

@interface RTCAudioDeviceModule : NSObject
- (NSInteger)setEngineAvailability:(RTCAudioEngineAvailability)availability;
@end

@protocol RTCAudioProcessingModule
@end

@interface RTCVideoEncoderFactorySimulcast : NSObject<RTCVideoEncoderFactory>
- (instancetype)initWithPrimary:(id<RTCVideoEncoderFactory>)primary fallback:(id<RTCVideoEncoderFactory>)fallback;
@end

@interface RTCPeerConnectionFactory (Later)
- (instancetype)initWithAudioDeviceModuleType:(RTCAudioDeviceModuleType)audioDeviceModuleType
                        bypassVoiceProcessing:(BOOL)bypassVoiceProcessing
                               encoderFactory:(nullable id<RTCVideoEncoderFactory>)encoderFactory
                               decoderFactory:(nullable id<RTCVideoDecoderFactory>)decoderFactory
                        audioProcessingModule:(nullable id<RTCAudioProcessingModule>)audioProcessingModule;
@property(nonatomic, readonly) RTCAudioDeviceModule *audioDeviceModule;
- (RTCRtpCapabilities *)rtpSenderCapabilitiesForKind:(NSString *)kind;
- (RTCRtpCapabilities *)rtpReceiverCapabilitiesForKind:(NSString *)kind;
@end

NS_ASSUME_NONNULL_END
