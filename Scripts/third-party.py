#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Writes THIRD_PARTY.md: what Sightline is built and linked with, under which licence, and what for.

third-party.py [--check]: the dependencies and their versions are those of Package.swift and install-dependencies.sh; licence
and use of each are in third-party.txt. --check changes nothing and fails if the table lacks something or has what is no
longer used, if THIRD_PARTY.md is not what would be written, or if a package that is checked out or installed has another
licence. What is not there (a clean clone has no checkouts) is not looked at.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "Scripts/third-party.txt"
OUTPUT = ROOT / "THIRD_PARTY.md"
COLUMNS = {"direct": 3, "transitive": 2, "apple": 3, "debian": 3, "linked": 3}
# By what the text of a licence says, the first that fits.
TEXTS = {"Apache-2.0": r"Apache License\s+Version 2\.0", "MIT": r"Permission is hereby granted, free of charge"}
# What Debian's machine-readable copyright files call them.
DEBIAN_NAMES = {"public domain": "public-domain", "PSF-2.0": None}


def table():
    """The kept table, by kind and name."""
    kinds, kind = {name: {} for name in COLUMNS}, None
    for number, line in enumerate(TABLE.read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            kind = heading[1]
            continue
        cells = [cell.strip() for cell in line.split("|")]
        if kind not in COLUMNS or len(cells) != COLUMNS[kind] or not all(cells):
            raise SystemExit(f"{TABLE.name}:{number}: not a row of a known kind: {line}")
        kinds[kind][cells[0]] = cells[1:]
    return kinds


def dependencies(manifest):
    """Name, address and version range of each package that Package.swift asks for."""
    found = {}
    for address, versions in re.findall(r'\.package\(\s*url: "([^"]+)",\s*([^)]*)\)', manifest):
        if since := re.fullmatch(r'from: "([\d.]+)"', versions.strip()):
            end = int(since[1].split(".")[0]) + 1
            text = f"{since[1]} ≤ v < {end}.0.0"
        elif bounds := re.fullmatch(r'"([\d.]+)"\s*\.\.<\s*"([\d.]+)"', versions.strip()):
            text = f"{bounds[1]} ≤ v < {bounds[2]}"
        else:
            raise SystemExit(f"Package.swift: the versions of {address} are not understood: {versions}")
        found[address.rstrip("/").removesuffix(".git").rsplit("/", 1)[1]] = (address, text)
    return found


def named(manifest, pattern, inner):
    """What a list in one of the sources names."""
    match = re.search(pattern, manifest, re.S)
    if not match:
        raise SystemExit(f"nothing is found by {pattern}: the source is laid out in another way than third-party.py reads")
    return re.findall(inner, match[1])


def compare(what, wanted, kept):
    """How a source and the kept table differ."""
    return [f"{what}: {name} is not in {TABLE.name}" for name in sorted(set(wanted) - set(kept))] + [
        f"{what}: {name} of {TABLE.name} is not used" for name in sorted(set(kept) - set(wanted))
    ]


def checked_out(rows):
    """How the packages that are checked out differ from the table."""
    errors = []
    for folder in sorted((ROOT / ".build/checkouts").glob("*")):
        if folder.name not in rows:
            errors.append(f"{folder.name} is checked out, and not in {TABLE.name}")
            continue
        text = "".join(file.read_text(errors="replace") for file in sorted(folder.glob("LICENSE*")))
        found = next((name for name, pattern in TEXTS.items() if re.search(pattern, text)), "an unknown licence")
        if found != rows[folder.name][0]:
            errors.append(f"{folder.name} is under {found}, not {rows[folder.name][0]}")
    return errors


def installed(rows):
    """How Debian packages that are installed differ from the table."""
    errors = []
    for package, licence in rows.items():
        file = pathlib.Path("/usr/share/doc") / package / "copyright"
        first = DEBIAN_NAMES.get(licence, re.split(r"[,;]", licence)[0])
        # Some are prose, which says nothing that can be compared.
        if not first or not file.exists() or "\nLicense:" not in (text := file.read_text(errors="replace")):
            continue
        names = {name.lower() for name in re.findall(r"^License: *(\S+)", text, re.M)}
        # LGPL-2.1-or-later is LGPL-2.1+ there; some are marked with whose text it is.
        wanted = first.lower().replace("-or-later", "+")
        if not any(name.split("~")[0] == wanted for name in names):
            errors.append(f"{package} is installed under {', '.join(sorted(names))}, not {first}")
    return errors


def rows(*cells):
    """Rows of a table in Markdown."""
    return "".join(f"| {' | '.join(row)} |\n" for row in cells)


def page(kinds, packages, framework):
    """THIRD_PARTY.md."""
    direct, linked = kinds["direct"], {}
    for library, (package, licence) in kinds["linked"].items():
        linked.setdefault((package, licence), []).append(library)
    return f"""# What others made

Written by `python3 Scripts/third-party.py` from `Package.swift`, `Scripts/install-dependencies.sh` and `Scripts/third-party.txt`; `make lint`
checks that it is current. Sightline's own sources are under the Apache License 2.0 (`LICENSE`).

## Swift packages

Fetched when the package is built with the traits `Server` or `Linux`; an app that wants neither, and any on Apple's systems, fetches none of them.

| Package | Versions | Licence | What for |
|---|---|---|---|
{rows(*([f"[{name}]({packages[name][0]})", packages[name][1], *direct[name]] for name in packages))}
These come with them:

| Package | Licence |
|---|---|
{rows(*([name, *cells] for name, cells in sorted(kinds["transitive"].items())))}
## On Apple's systems

| Framework | Version | Licence | What for |
|---|---|---|---|
{rows(*([name, framework, *cells] for name, cells in kinds["apple"].items()))}
## Debian packages

Any version that Debian 12 has. {len(kinds["debian"])} are asked for:

| Package | Licence | What for |
|---|---|---|
{rows(*([name, *cells] for name, cells in kinds["debian"].items()))}
Programs with the media engine are linked with libraries of these, the first at build time:

| Package | Libraries | Licence |
|---|---|---|
{rows(*([package, ", ".join(f"`{name}`" for name in names), licence] for (package, licence), names in linked.items()))}
Whoever passes on such a program, as in the package of `make deb`, passes on a combined work under the GPL, version 3 or later, for libavcodec as
Debian builds it. The package also has the libraries of Swift's toolchain (Apache-2.0 with Runtime Library Exception).
"""


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        raise SystemExit(__doc__)
    kinds, manifest = table(), (ROOT / "Package.swift").read_text()
    packages = dependencies(manifest)
    framework = named(manifest, r'name: "WebRTC",\s*url: "([^"]+)"', r"/download/([\d.]+)/")
    libraries = named(manifest, r"let engineLibraries[^=]*= \[(.*?)\]", r'"(\w+)"')
    debian = named((ROOT / "Scripts/install-dependencies.sh").read_text(), r"\npackages=\((.*?)\)", r"[a-z][\w.+-]+")
    errors = (
        compare("Package.swift", packages, kinds["direct"])
        + compare("the linked libraries of Package.swift", libraries, kinds["linked"])
        + compare("install-dependencies.sh", debian, kinds["debian"])
        + checked_out(kinds["direct"] | kinds["transitive"])
        + installed({name: cells[0] for name, cells in kinds["debian"].items()} | dict(kinds["linked"].values()))
    )
    if not errors:
        text = page(kinds, packages, framework[0])
        if not check:
            OUTPUT.write_text(text)
        elif not OUTPUT.exists() or OUTPUT.read_text() != text:
            errors = [f"{OUTPUT.name} is not current: python3 Scripts/third-party.py writes it"]
    for error in errors:
        print(f"third-party: {error}", file=sys.stderr)
    if errors:
        raise SystemExit(1)
    print(f"third-party: {len(packages)} packages, {len(kinds['transitive'])} that come with them, {len(debian)} of Debian")


main()
