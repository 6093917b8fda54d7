#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Finds links of the texts that lead nowhere: to a file or folder that is not there, or to a heading that no page has.

check-links.py [SITE]: with the folder that `make docs` writes, the pages of the site are checked, too: each reference of a page
leads to another one, and each image is there. Addresses of other servers are not asked for.
"""
import json
import pathlib
import re
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEXTS = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("Docs/**/*.md")), *sorted(ROOT.glob("Sources/*/*/*.docc/*.md")),
         *sorted(ROOT.glob("Lab/*.md")), *sorted(ROOT.glob("Tests/**/*.md"))]
LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")


def without_code(text):
    """The text with what stands in blocks and spans of code blanked out."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])

    text = re.sub(r"^(```|~~~).*?^\1", blank, text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", blank, text)


def headings(path):
    """The names by which a page's headings are linked to, as GitHub makes them."""
    found, names = {}, set()
    text = re.sub(r"^(```|~~~).*?^\1", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    for heading in re.findall(r"^#{1,6} +(.*?) *#* *$", text, re.MULTILINE):
        plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).strip().replace(" ", "-")
        count = found.get(slug, 0)
        found[slug] = count + 1
        names.add(slug if count == 0 else f"{slug}-{count}")
    names |= set(re.findall(r'<a (?:id|name)="([^"]+)"', text))
    return names


def broken(path):
    """The links of a text that lead nowhere, each with the number of its line."""
    text = without_code(path.read_text())
    for match in LINK.finditer(text):
        target = urllib.parse.unquote(match[1])
        if re.match(r"[a-z][a-z+.-]*:", target):
            continue
        file, _, anchor = target.partition("#")
        place = (path.parent / file) if file else path
        line = text[: match.start()].count("\n") + 1
        if not place.exists():
            yield line, target
        elif anchor and place.suffix == ".md" and anchor not in headings(place):
            yield line, target


def broken_in(site):
    """The references of the site's pages that lead nowhere."""
    for page in sorted(site.glob("data/**/*.json")):
        content = json.loads(page.read_text())
        # Chapters of tutorials have an address and no page of their own: they stand in the list of chapters alone.
        chapters = {chapter["reference"] for chapter in content.get("hierarchy", {}).get("modules", [])}
        for name, reference in content.get("references", {}).items():
            url = reference.get("url", "")
            if name in chapters:
                continue
            if url.startswith(("/documentation/", "/tutorials/")):
                target = url.split("#")[0].lower()
                if not (site / f"data{target}.json").exists() and not (site / f"data{url.split('#')[0]}.json").exists():
                    yield page.relative_to(site), url
            for variant in reference.get("variants", []):
                if variant.get("url", "").startswith("/") and not (site / variant["url"].lstrip("/")).exists():
                    yield page.relative_to(site), variant["url"]


def main():
    problems = [f"{path.relative_to(ROOT)}:{line}: {target} leads nowhere" for path in TEXTS for line, target in broken(path)]
    if len(sys.argv) > 1:
        site = pathlib.Path(sys.argv[1])
        if not any(site.glob("data/**/*.json")):
            sys.exit(f"{site} is no site: make docs")
        problems += [f"{page}: {target} leads nowhere" for page, target in broken_in(site)]
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        sys.exit(1)
    print(f"every link of {len(TEXTS)} texts leads somewhere")


if __name__ == "__main__":
    main()
