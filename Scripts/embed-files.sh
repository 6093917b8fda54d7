#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# embed-files.sh OUTPUT DESCRIPTION WEB: writes the texts of files as Swift: the description of the HTTP API, and the files in
# WEB that pages are made of, not what editors leave behind. See Plugins/EmbedFiles.
#
# Of scripts, lines that are nothing but comments are left empty, which is a third of what a page loads; the notice of the
# licence stays, and lines keep their numbers.
set -eu
output=$1 description=$2
cd "$3"

# A literal has neither the first nor the last of its line breaks.
literal() { printf '##"""\n'; "$@"; printf '\n"""##'; }

without_comments() {
    sed -E '3,$ {
        s/^[[:space:]]*\/\*.*\*\/[[:space:]]*$//
        /^[[:space:]]*\/\*/,/\*\//s/.*//
        s/^[[:space:]]*\/\/.*//
    }' "$1"
}

files() { find . -type f ! -name '.*' | sed 's|^\./||' | grep -E '\.(css|html|js|json|svg|ts)$' | LC_ALL=C sort; }

{
    echo 'enum EmbeddedFiles {'
    printf 'static let openAPI = '
    literal cat "$description"
    printf '\n\n/// By their paths in Web.\nstatic let web: [String: String] = ['
    files | while read -r name; do
        printf '\n"%s": ' "$name"
        case $name in
        *.js) literal without_comments "$name" ;;
        *) literal cat "$name" ;;
        esac
        printf ','
    done
    printf '\n]\n}\n'
} >"$output"
