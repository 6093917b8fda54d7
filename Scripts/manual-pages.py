#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Writes the manual pages of a program: one of itself and one of each of its commands.

manual-pages.py PROGRAM OUT DATE: asks PROGRAM what it takes (swift-argument-parser's --experimental-dump-help), and writes
OUT/NAME.1 and OUT/NAME-COMMAND.1; DATE is when the sources are of.
"""
import json
import pathlib
import re
import subprocess
import sys

# Of every command that takes settings of the server.
FILES = [("/etc/sightline/server.json", "The settings of the service, for --config."),
         ("/etc/sightline/secrets", "Its secrets, as variables of the environment; only root reads it.")]


def escaped(text):
    """Text of which nothing is a request or an escape, and in which hyphens can be copied."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return "\n".join(r"\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def prose(text):
    """Paragraphs; options and the commands of the program stand out."""
    text = re.sub(r"(?<![\w-])(--[a-z][a-z-]+)", "\x01\\1\x02", re.sub(r"\n{2,}", "\n.PP\n", text.strip()))
    lines = [line if line == ".PP" else escaped(line) for line in text.split("\n")]
    return "\n".join(lines).replace("\x01", r"\fB").replace("\x02", r"\fR")


def written(name):
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def label(argument):
    """An option as it is typed."""
    value = rf"\fI{escaped(argument.get('valueName', ''))}\fR"
    if argument["kind"] == "positional":
        return value + (" ..." if argument["isRepeating"] else "")
    names = ", ".join(rf"\fB{escaped(written(name))}\fR" for name in sorted(argument["names"], key=lambda n: n["kind"] == "long"))
    return names if argument["kind"] == "flag" else f"{names} {value}"


def entry(argument):
    parts = [argument.get("abstract", "")]
    known = []
    if argument.get("allValues"):
        known.append(f"one of {', '.join(argument['allValues'])}")
    if argument.get("defaultValue"):
        known.append(f"default: {argument['defaultValue']}")
    if argument["kind"] != "positional" and argument["isRepeating"]:
        known.append("can be repeated")
    if known:
        parts.append(f"({'; '.join(known)})")
    text = prose(" ".join(part for part in parts if part))
    if argument.get("discussion"):
        text += "\n" + prose(argument["discussion"])
    return f".TP\n{label(argument)}\n{text}\n"


def shown(command):
    return [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]


def page(title, command, version, date, others):
    """The manual page of a command, whose name as it is typed is the title."""
    arguments = shown(command)
    options = [argument for argument in arguments if argument["kind"] != "positional"]
    places = [argument for argument in arguments if argument["kind"] == "positional"]
    name = title.replace(" ", "-")
    abstract = command["abstract"].rstrip(".")
    text = f'.TH {name.upper()} 1 "{date}" "sightline {version}" "Sightline"\n'
    text += f".SH NAME\n{escaped(name)} \\- {escaped(abstract[:1].lower() + abstract[1:])}\n"
    synopsis = [rf"\fB{escaped(title)}\fR"] + [r"[\fIOPTIONS\fR]"] * bool(options)
    subcommands = [known for known in command.get("subcommands", []) if known["shouldDisplay"] and known["commandName"] != "help"]
    if subcommands:
        synopsis.append(r"\fICOMMAND\fR ...")
    synopsis += [label(place) if not place["isOptional"] else f"[{label(place)}]" for place in places]
    text += f".SH SYNOPSIS\n{' '.join(synopsis)}\n.SH DESCRIPTION\n{prose(command['abstract'])}\n"
    if command.get("discussion"):
        text += f".PP\n{prose(command['discussion'])}\n"
    if subcommands:
        text += ".SH COMMANDS\n"
        for known in subcommands:
            text += f".TP\n\\fB{escaped(name)}\\-{escaped(known['commandName'])}\\fR(1)\n{prose(known['abstract'])}\n"
    for heading, entries in (("ARGUMENTS", places), ("OPTIONS", options)):
        if entries:
            text += f".SH {heading}\n{''.join(entry(argument) for argument in entries)}"
    if any(written(known) == "--config" for argument in options for known in argument["names"]):
        text += ".SH FILES\n" + "".join(f".TP\n{escaped(file)}\n{prose(what)}\n" for file, what in FILES)
    text += ".SH SEE ALSO\n" + ",\n".join(f"\\fB{escaped(other)}\\fR(1)" for other in others if other != name) + "\n"
    return name, text


def main():
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    program, out, date = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    run = lambda option: subprocess.run([program, option], check=True, capture_output=True, text=True).stdout
    version, root = run("--version").split()[0], json.loads(run("--experimental-dump-help"))["command"]
    commands = [known for known in root["subcommands"] if known["shouldDisplay"] and known["commandName"] != "help"]
    names = [root["commandName"]] + [f"{root['commandName']}-{known['commandName']}" for known in commands]
    out.mkdir(parents=True, exist_ok=True)
    for title, command, others in [(root["commandName"], root, names)] + [
        (f"{root['commandName']} {known['commandName']}", known, names) for known in commands
    ]:
        name, text = page(title, command, version, date, others)
        (out / f"{name}.1").write_text(text)


main()
