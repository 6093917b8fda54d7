#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# install.sh PACKAGE: installs the package in an image, for a user of a number that is the same in every image.
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends adduser curl >/dev/null
addgroup --quiet --system --gid 10001 sightline
adduser --quiet --system --uid 10001 --gid 10001 --home /var/lib/sightline --no-create-home sightline
apt-get install -y -qq --no-install-recommends "$1" >/dev/null
# The package made a secret; one in an image would be everyone's.
rm -f /etc/sightline/secrets
install -d -o sightline -g sightline -m 700 /var/lib/sightline
rm -rf /var/lib/apt/lists/*
