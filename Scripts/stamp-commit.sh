#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# stamp-commit.sh [DIRECTORY]: prints the commit that these sources are of, or writes it to BuildCommit.swift there.
# A clone is asked by git: "+changes" says that files of it differ from the commit. An archive that git or GitHub made
# has the commit in the next line (.gitattributes). Of anything else it is unknown.
set -eu
archived='$Format:%H$'

root=$(cd "$(dirname "$0")/.." && pwd -P)
# Not of a clone of something else that these sources lie in.
above=$(git -C "$root" rev-parse --show-toplevel 2>/dev/null) || above=
if [ "$above" = "$root" ]; then
    commit=$(git -C "$root" describe --always --abbrev=12 --exclude '*' --dirty=+changes 2>/dev/null) || commit=unknown
else
    case $archived in
        [0-9a-f]*) commit=$(echo "$archived" | cut -c1-12) ;;
        *) commit=unknown ;;
    esac
fi
if [ $# -eq 0 ]; then
    echo "$commit"
    exit
fi

mkdir -p "$1"
file=$1/BuildCommit.swift
text="// Written by Scripts/stamp-commit.sh.

/// The commit that the programs are built from.
enum BuildCommit {
    static let name = \"$commit\"
}"
[ "$(cat "$file" 2>/dev/null)" = "$text" ] || echo "$text" >"$file"
