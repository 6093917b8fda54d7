#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Checks what Packaging has for Prometheus and Grafana: rules and their tests with promtool, every expression of the
dashboard, and that each metric that is named is one of the server's."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROMETHEUS = ROOT / "Packaging/prometheus"
DASHBOARDS = ROOT / "Packaging/grafana"
METRICS = ROOT / "Sources/Server/SessionServer/Metrics/MetricList.swift"


def promtool(*arguments):
    done = subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True, cwd=PROMETHEUS)
    # Failures of rule tests end with 1 and are said on standard error; some versions say them on the other one.
    said = done.stdout + done.stderr
    if done.returncode != 0 or "FAILED" in said:
        sys.exit(f"promtool {' '.join(map(str, arguments))}:\n{said}")


def dashboard_expressions(path):
    dashboard = json.loads(path.read_text())
    targets = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    targets += [one["expr"] for one in dashboard["annotations"]["list"]]
    return [expression.replace("$job", "sightline").replace("$instance", ".*") for expression in targets]


def check_dashboard(path):
    rules = [dict(record=f"dashboard:expression{i}", expr=e) for i, e in enumerate(dashboard_expressions(path))]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "dashboard.yml")
        # JSON is YAML.
        file.write_text(json.dumps(dict(groups=[dict(name=path.stem, rules=rules)])))
        promtool("check", "rules", file)
    return len(rules)


def unknown_names(text, recorded):
    known = METRICS.read_text()
    for name in sorted(set(re.findall(r"\b(?:sightline|process)[_:][a-z0-9_:]+", text))):
        plain = re.sub(r"_(bucket|sum|count)$", "", name.removeprefix("sightline_"))
        if name not in recorded and f'"{plain}"' not in known:
            yield name


def main():
    rules = [PROMETHEUS / "recording.yml", PROMETHEUS / "alerts.yml"]
    promtool("check", "config", "--syntax-only", "prometheus.yml")
    promtool("check", "rules", *rules)
    promtool("test", "rules", "rules.test.yml")
    dashboards = sorted(DASHBOARDS.glob("*.json"))
    count = sum(check_dashboard(path) for path in dashboards)
    recorded = set(re.findall(r"record: (\S+)", rules[0].read_text()))
    text = "\n".join(path.read_text() for path in rules)
    text += "\n".join(expression for path in dashboards for expression in dashboard_expressions(path))
    unknown = list(unknown_names(text, recorded))
    if unknown:
        sys.exit(f"no metrics of the server: {', '.join(unknown)}")
    print(f"rules and their tests are in order, and so are {count} expressions of {len(dashboards)} dashboard(s)")


if __name__ == "__main__":
    main()
