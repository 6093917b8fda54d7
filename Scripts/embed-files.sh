#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# embed-files.sh OUTPUT DESCRIPTION WEB NAME...: writes the texts of files as Swift: the description of the HTTP API, and
# the files with these names in the folder WEB. See Plugins/EmbedFiles.
#
# Of scripts, lines that are nothing but comments are left empty, which is a third of what a page loads; the notice of the
# licence stays, and lines keep their numbers.
set -eu
output=$1 description=$2 web=$3
shift 3

# A literal has neither the first nor the last of its line breaks.
literal() { printf '##"""\n'; "$@"; printf '\n"""##'; }

without_comments() {
    sed -E '3,$ {
        s/^[[:space:]]*\/\*.*\*\/[[:space:]]*$//
        /^[[:space:]]*\/\*/,/\*\//s/.*//
        s/^[[:space:]]*\/\/.*//
    }' "$1"
}

{
    echo 'enum EmbeddedFiles {'
    printf 'static let openAPI = '
    literal cat "$description"
    printf '\n\n/// By their paths in Web.\nstatic let web: [String: String] = ['
    for name; do
        printf '\n"%s": ' "$name"
        case $name in
        *.js) literal without_comments "$web/$name" ;;
        *) literal cat "$web/$name" ;;
        esac
        printf ','
    done
    printf '\n]\n}\n'
} >"$output"
