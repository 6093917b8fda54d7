# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The table of a run."""

import dataclasses

BEGIN, END = "<!-- hostile: table -->", "<!-- hostile: end -->"


@dataclasses.dataclass
class Row:
    """What became of one attack."""

    key: str
    title: str
    sent: str
    saw: str
    begin: float = 0
    end: float = 0
    faults: list = dataclasses.field(default_factory=list)
    call: dict = None
    before: dict = None
    after: dict = None
    peak: float = 0

    @property
    def memory(self):
        def total(figures):
            return f"{(figures['server'] + figures['router']) / 1e6:.0f}" if figures else "gone"

        return f"{total(self.before)} / {self.peak / 1e6:.0f} / {total(self.after)}"

    @property
    def p99(self):
        value = self.call["p99"]
        return f"{value * 1000:.0f} ms" if value is not None else "none"

    @property
    def media(self):
        call = self.call
        if call["lost"] is None:
            return "no media"
        return f"{call['lost']} lost, gap {call['gap']:.1f} s"

    def line(self):
        verdict = "ok" if not self.faults else "FAULT  " + "; ".join(self.faults)
        return (
            f"      sent {self.sent}\n      {self.saw}\n      acks p99 {self.p99} of {self.call['acks']}, {self.media}, "
            f"{self.call['newcomers']} newcomers, MB {self.memory}, {self.end - self.begin:.0f} s\n      {verdict}")


def markdown(rows, build):
    lines = [
        f"Server: {build}.", "",
        "| Attack | Sent | What the server did | Ack p99 | Media | MB before / peak / after | Verdict |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        verdict = "withstood" if not row.faults else "**" + "; ".join(row.faults) + "**"
        cells = [f"{row.key}: {row.title}", row.sent, row.saw, row.p99, row.media, row.memory, verdict]
        lines.append("| " + " | ".join(cell.replace("|", "/").replace("\n", " ") for cell in cells) + " |")
    failed = sum(1 for row in rows if row.faults)
    lines += ["", f"{len(rows) - failed} of {len(rows)} withstood."]
    return "\n".join(lines)


def replace(path, text):
    """Puts a table in the place of the one before."""
    with open(path) as file:
        page = file.read()
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    with open(path, "w") as file:
        file.write(f"{head}{BEGIN}\n{text}\n{END}{tail}")
