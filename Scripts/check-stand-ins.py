#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Holds the stand-ins for WebRTC.framework against WebRTC's own Objective-C headers.

Whatever the stand-in module declares in public is used once, with exactly the types that it declares, against the headers as
Swift's own importer reads them: what compiles against the stand-ins then compiles against the framework. Members for tests
are `@_spi(StandIn)`, which the adapter does not see. The headers come with the engine (libtgowt-dev); others may be named:

    check-stand-ins.py [folder sdk/objc]
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
sources = root / "Tests/AppleStandIns/Sources/WebRTC"
stubs = root / "Tests/AppleStandIns/Headers"
headers = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/include/tg_owt/sdk/objc").resolve()
folders = ["", "base", "api", "api/peerconnection", "api/video_frame_buffer", "api/logging", "components/audio",
           "components/capturer", "components/renderer/metal", "components/video_codec", "../.."]

# Methods with an NSError ** cannot be imported where Swift has no Objective-C runtime: only their selectors are looked for.
# That the importer names this one so, because of its sibling without an error, is in Docs/apple-headers.md.
THROWING = {
    "RTCRtpTransceiver.setCodecPreferences(_:error:)": ("setCodecPreferences:", "error:"),
    "RTCAudioSession.setActive(_:)": ("- (BOOL)setActive:(BOOL)active error:(NSError **)outError",),
    "RTCAudioSession.setConfiguration(_:)": ("(RTC_OBJC_TYPE(RTCAudioSessionConfiguration) *)configuration error",),
}
# Protocols that the adapter's own classes adopt: the headers may ask for no more than the stand-ins do.
ADOPTED = {"RTCPeerConnectionDelegate", "RTCDataChannelDelegate", "RTCVideoRenderer", "RTCVideoCapturerDelegate",
           "RTCAudioSessionDelegate"}
# Nothing in these is asked for: each method is called as well, since a misspelled one would never be called.
OPTIONAL = {"RTCAudioSessionDelegate"}
# What AVFoundation's and UIKit's own annotations make of the names in the stubs.
RENAMED = {"AVCaptureDevice.Format": "AVCaptureDeviceFormat", "AVAudioSession.CategoryOptions": "AVAudioSessionCategoryOptions",
           "AVAudioSession.RouteChangeReason": "AVAudioSessionRouteChangeReason"}


def text(fragments):
    return "".join(fragment["spelling"] for fragment in fragments)


def stand_ins(folder):
    """The public declarations of the stand-ins."""
    for module in ["AVFAudio", "AVFoundation", "WebRTC"]:
        files = [str(file) for file in sorted((sources.parent / module).glob("*.swift"))]
        subprocess.run(
            ["swiftc", "-swift-version", "6", "-enable-upcoming-feature", "ExistentialAny", "-module-name", module, "-emit-module",
             "-emit-module-path", f"{folder}/{module}.swiftmodule", "-I", folder, "-emit-symbol-graph",
             "-emit-symbol-graph-dir", folder, *files], check=True)
    graph = json.loads((pathlib.Path(folder) / "WebRTC.symbols.json").read_text())
    parents = {}
    for relation in graph["relationships"]:
        if relation["kind"] in ("inheritsFrom", "conformsTo"):
            parents.setdefault(relation["source"], []).append(relation)
    return graph["symbols"], parents


def call(symbol, on):
    """A call with arguments of the declared types, and what it gives."""
    signature = symbol["functionSignature"]
    parameters, arguments = [], []
    name, labels = symbol["pathComponents"][-1].rstrip(")").split("(")
    for number, (parameter, label) in enumerate(zip(signature.get("parameters", []), labels.split(":"))):
        type = text(parameter["declarationFragments"]).split(":", 1)[1].strip()
        parameters.append(f"_ a{number}: {type}")
        arguments.append(("" if label == "_" else f"{label}: ") + f"a{number}")
    result = text(signature.get("returns", [])).replace("()", "Void") or "Void"
    target = name if on is None else f"{on}.{name}" if name != "init" else on
    if symbol["pathComponents"][0] in OPTIONAL:
        target, result = f"{target}?", f"{result}?"
    return parameters, f"{target}({', '.join(arguments)})", result


def probe(symbol, number):
    """A function that uses a declaration as the stand-ins declare it; none for what has no use of its own."""
    kind, path = symbol["kind"]["identifier"], symbol["pathComponents"]
    declaration = text(symbol["declarationFragments"])
    owner = path[0]
    receiver = f"_ s: any {owner}" if owner in PROTOCOLS else f"_ s: {owner}"
    if kind in ("swift.class", "swift.protocol", "swift.enum", "swift.struct"):
        return f"func p{number}(_ x: {'any ' if kind == 'swift.protocol' else ''}{owner}) {{}}"
    if kind == "swift.enum.case":
        return f"func p{number}() -> {owner} {{ .{path[1]} }}"
    if kind == "swift.var":
        type = declaration.split(":", 1)[1].split("{")[0].strip()
        return f"func p{number}() {{ var v = {path[0]}; exact(&v, ({type}).self) }}"
    if kind == "swift.property":
        type = declaration.split(":", 1)[1].split("{")[0].strip()
        set = f" s.{path[1]} = v;" if "set }" in declaration or re.search(r"\bvar\b", declaration) and "{" not in declaration else ""
        return f"func p{number}({receiver}) {{ var v = s.{path[1]};{set} exact(&v, ({type}).self) }}"
    if kind in ("swift.method", "swift.type.method", "swift.func", "swift.init"):
        if owner in ADOPTED - OPTIONAL and "[" not in declaration:
            return None
        on = {"swift.method": "s", "swift.type.method": owner, "swift.func": None, "swift.init": owner}[kind]
        parameters, use, result = call(symbol, on)
        if kind == "swift.init":
            result = owner
        if kind == "swift.method":
            parameters.insert(0, receiver)
        return f"func p{number}({', '.join(parameters)}) {{ var r = {use}; exact(&r, ({result}).self) }}"
    sys.exit(f"check-stand-ins: a {kind} is not known here: {declaration}")


def adoption(name, symbols):
    """A class that does what a protocol of the stand-ins asks for, and no more."""
    lines = [text(symbol["declarationFragments"]) + " {}" for symbol in symbols
             if symbol["kind"]["identifier"] == "swift.method" and symbol["pathComponents"][0] == name]
    return f"class Adopts{name}: NSObject, {name} {{\n  " + "\n  ".join(lines) + "\n}"


def imported(folder, lines):
    """What the compiler says of the lines when WebRTC is the headers."""
    file = pathlib.Path(folder) / "probes.swift"
    written = "\n".join(lines) + "\n"
    for name, stub in RENAMED.items():
        written = written.replace(name, stub)
    file.write_text(written)
    flags = ["-Xcc", "-fblocks", "-Xcc", "-w", "-Xcc", "-fobjc-runtime=macosx-10.15", "-Xcc", f"-I{stubs}"]
    for one in folders:
        flags += ["-Xcc", f"-I{(headers / one).resolve()}"]
    for one in ["WebRTC", "Foundation", "AVFoundation", "UIKit", "AppKit"]:
        flags += ["-I", str(stubs / one)]
    return subprocess.run(
        ["swift-frontend", "-typecheck", "-swift-version", "6", "-enable-objc-interop", "-suppress-warnings",
         "-module-cache-path", f"{folder}/cache", "-diagnostic-style", "llvm", *flags, str(file)],
        capture_output=True, text=True).stderr


with tempfile.TemporaryDirectory() as folder:
    symbols, parents = stand_ins(folder)
    symbols = [symbol for symbol in symbols if "::SYNTHESIZED::" not in symbol["identifier"]["precise"]
               and not (symbol["pathComponents"][-1].startswith("init(rawValue")) and "(_:_:)" not in symbol["pathComponents"][-1]]
    PROTOCOLS = {symbol["pathComponents"][0] for symbol in symbols if symbol["kind"]["identifier"] == "swift.protocol"}
    names = {symbol["identifier"]["precise"]: symbol["pathComponents"][0] for symbol in symbols}
    # On Apple's systems every NSData is a Data.
    lines = ["import WebRTC", "typealias Data = NSData", "func exact<T>(_ value: inout T, _ type: T.Type) {}"]
    about = {}
    count = 0
    missing = []
    for symbol in sorted(symbols, key=lambda symbol: symbol["pathComponents"]):
        path = ".".join(symbol["pathComponents"])
        if path in THROWING:
            known = " ".join(file.read_text(errors="replace") for file in [*headers.rglob(f"{symbol['pathComponents'][0]}.h"), *stubs.rglob("*.h")])
            if not all(part in known for part in THROWING[path]):
                missing.append(f"{path}: no such selector")
            continue
        line = probe(symbol, len(lines))
        if line:
            lines.append(line)
            about[len(lines)] = path
            count += 1
        if symbol["kind"]["identifier"] == "swift.class":
            for relation in parents.get(symbol["identifier"]["precise"], []):
                parent = names.get(relation["target"])
                if parent:
                    any_ = "any " if parent in PROTOCOLS else ""
                    lines.append(f"func p{len(lines)}(_ x: {path}) -> {any_}{parent} {{ x }}")
                    about[len(lines)] = f"{path} is a {parent}"
                    count += 1
    for name in sorted(ADOPTED):
        body = adoption(name, symbols).split("\n")
        for line in body:
            lines.append(line)
            about[len(lines)] = f"adopting {name}"
        count += 1
    said = imported(folder, lines)
    for match in re.finditer(r"^(\S+?):(\d+):\d+: error: (.*)$", said, re.M):
        # An array is an NSArray only where Swift has an Objective-C runtime; such a method is called instead.
        if lines[int(match[2]) - 1].startswith("  func") and "[" in lines[int(match[2]) - 1]:
            continue
        where = about.get(int(match[2]), "?") if match[1].endswith("probes.swift") else match[1]
        missing.append(f"{where}: {match[3]}")
    if missing:
        sys.exit("check-stand-ins: not as in WebRTC's headers:\n  " + "\n  ".join(missing))
    print(f"check-stand-ins: {count} declarations are as in {headers}")
