#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Fails if the package, as a Mac reads it, resolves more than one pinned framework, or a target of it needs one that is not there."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
with tempfile.TemporaryDirectory() as scratch:
    said = subprocess.run(
        ["swift", "package", "--package-path", str(root), "--scratch-path", scratch, "dump-package"],
        env={**os.environ, "SIGHTLINE_HOST": "apple"}, capture_output=True, text=True, check=True).stdout
package = json.loads(said)
if package["dependencies"]:
    sys.exit(f"check-apple-package: an app would resolve {package['dependencies']}")
targets = {target["name"]: target for target in package["targets"]}
framework = targets.get("WebRTC", {})
if framework.get("type") != "binary" or not framework.get("checksum"):
    sys.exit("check-apple-package: the framework is not pinned")
for name, target in targets.items():
    for dependency in target["dependencies"]:
        if "product" in dependency:
            sys.exit(f"check-apple-package: {name} needs {dependency['product'][0]}")
        known = (dependency.get("byName") or dependency.get("target"))[0]
        if known not in targets:
            sys.exit(f"check-apple-package: {name} needs {known}, which is not there")
if not any((dependency.get("byName") or [""])[0] == "WebRTC" for dependency in targets["AppleWebRTC"]["dependencies"]):
    sys.exit("check-apple-package: AppleWebRTC does not bring the framework")
names = [product["name"].lower() for product in package["products"]]
if len(set(names)) != len(names):
    sys.exit("check-apple-package: names of products differ by case alone")
if package["traits"]:
    sys.exit("check-apple-package: there are traits to choose")
print(f"check-apple-package: {len(targets)} targets with one pinned framework, and nothing else")
