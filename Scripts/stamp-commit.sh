#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# stamp-commit.sh [DIRECTORY]: prints the commit that these sources are of, or writes it to BuildCommit.swift there.
# A clone is asked by git: "+changes" says that files of it differ from the commit. An archive that git or GitHub made
# has the commit in the next line (.gitattributes). Of anything else it is unknown.
set -eu
# Of a hook that builds: its repository is not that of these sources.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
archived='$Format:%H$'

root=$(cd "$(dirname "$0")/.." && pwd -P)
# Not of a clone of something else that these sources lie in.
above=$(git -C "$root" rev-parse --show-toplevel 2>/dev/null) || above=
if [ "$above" = "$root" ]; then
    # Without a lock and without writing the index: whoever commits meanwhile is not to be disturbed.
    if commit=$(git -C "$root" rev-parse --short=12 HEAD 2>/dev/null); then
        changes=$(git --no-optional-locks -C "$root" status --porcelain --untracked-files=no 2>/dev/null) || changes=
        [ -z "$changes" ] || commit=$commit+changes
    else
        commit=unknown
    fi
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
