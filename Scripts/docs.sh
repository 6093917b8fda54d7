#!/usr/bin/env bash
# Builds the documentation of the modules that have a catalogue into docs-site/, one site for all. Needs no network.
# A warning fails it: a link in the documentation that leads nowhere helps nobody.
set -euo pipefail
cd "$(dirname "$0")/.."

toolchain=$(dirname "$(readlink -f "$(command -v swift)")")
modules=$(swift build --show-bin-path)/Modules
target=$(swiftc -print-target-info | python3 -c 'import json, sys; print(json.load(sys.stdin)["target"]["triple"])')
graphs=$(mktemp -d)
trap 'rm -rf "$graphs"' EXIT
failed=0
# A module's links lead to modules that it imports, which come before it.
archives=()
for catalogue in Sources/Core/*/*.docc Sources/History/*/*.docc Sources/Client/*/*.docc; do
    module=$(basename "$catalogue" .docc)
    mkdir -p "$graphs/$module"
    swift build --target "$module" >"$graphs/build.log" 2>&1 || { cat "$graphs/build.log"; exit 1; }
    swift symbolgraph-extract -module-name "$module" -target "$target" -minimum-access-level public \
        -I "$modules" -Xcc -fmodule-map-file="$modules/../CLibWebRTC.build/module.modulemap" \
        -Xcc -fmodule-map-file=Sources/Client/CLinkModel/include/module.modulemap \
        -Xcc -fmodule-map-file=Sources/History/CZlib/module.modulemap \
        -output-dir "$graphs/$module"
    echo "documenting $module"
    "$toolchain/docc" convert "$catalogue" --fallback-display-name "$module" \
        --fallback-bundle-identifier "sightline.$module" --additional-symbol-graph-dir "$graphs/$module" \
        --enable-experimental-external-link-support "${archives[@]}" \
        --warnings-as-errors --output-path "$graphs/$module.doccarchive" >"$graphs/docc.log" 2>&1 \
        || { cat "$graphs/docc.log"; failed=1; }
    archives+=(--dependency "$graphs/$module.doccarchive")
done
[ "$failed" = 0 ] || { echo "docs: see the warnings above"; exit 1; }
rm -rf docs-site
"$toolchain/docc" merge "$graphs"/*.doccarchive --synthesized-landing-page-name Sightline --output-path docs-site
"$toolchain/docc" process-archive transform-for-static-hosting docs-site --output-path docs-site.static
rm -rf docs-site && mv docs-site.static docs-site
echo "docs-site/ is ready: python3 -m http.server -d docs-site"
