#!/usr/bin/env bash
# Builds the documentation of the modules that have a catalogue into docs-site/, one folder per module.
set -euo pipefail
cd "$(dirname "$0")/.."

docc=$(dirname "$(readlink -f "$(command -v swift)")")/docc
graphs=$(mktemp -d)
trap 'rm -rf "$graphs"' EXIT
for catalogue in Sources/*/*.docc; do
    module=$(basename "$catalogue" .docc)
    echo "documenting $module"
    mkdir -p "$graphs/$module"
    touch "Sources/$module"/*.swift 2>/dev/null || find "Sources/$module" -name '*.swift' -exec touch {} +
    swift build --target "$module" -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir \
        -Xswiftc "$graphs/$module" --scratch-path .build-docs >/dev/null
    find "$graphs/$module" -name '*.symbols.json' ! -name "$module*.symbols.json" -delete
    "$docc" convert "$catalogue" --fallback-display-name "$module" --fallback-bundle-identifier "sightline.$module" \
        --additional-symbol-graph-dir "$graphs/$module" --transform-for-static-hosting \
        --hosting-base-path "$module" --output-path "docs-site/$module" >/dev/null
done
echo "docs-site/ is ready: python3 -m http.server -d docs-site"
