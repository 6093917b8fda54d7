#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# embed-files.sh OUTPUT DESCRIPTION WEB NAME...: writes the texts of files as Swift: the description of the HTTP API, and
# the files with these names in the folder WEB. See Plugins/EmbedFiles.
set -eu
output=$1 description=$2 web=$3
shift 3

# A literal has neither the first nor the last of its line breaks.
literal() { printf '##"""\n'; cat "$1"; printf '\n"""##'; }

{
    echo 'enum EmbeddedFiles {'
    printf 'static let openAPI = '
    literal "$description"
    printf '\n\n/// By their paths in Web.\nstatic let web: [String: String] = ['
    for name; do
        printf '\n"%s": ' "$name"
        literal "$web/$name"
        printf ','
    done
    printf '\n]\n}\n'
} >"$output"
