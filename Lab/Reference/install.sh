#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# install.sh FOLDER: an environment of Python in FOLDER with what the comparison with full reference needs, and
# espeak-ng. Tools of the lab alone: nothing of this is part of the product.
set -euo pipefail
cd "$(dirname "$0")"
CI=true ../../Scripts/install-test-tool.sh espeak-ng espeak-ng "the lab's speech"
[[ -x "$1/bin/python" ]] || python3 -m venv "$1" || {
    CI=true ../../Scripts/install-test-tool.sh python3-venv pyvenv "the comparison with full reference"
    python3 -m venv "$1"
}
"$1/bin/pip" install --quiet --disable-pip-version-check -r requirements.txt
