#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Prints a filter for each test that failed, one a line, out of the XML report of a run. Prints nothing if the run
has left no report, as one that crashed: what crashes is not tried again."""
import pathlib
import re
import sys
import xml.etree.ElementTree as XML

# `swift test --xunit-output report.xml` writes the results of Swift Testing beside the ones of XCTest.
report = pathlib.Path(sys.argv[1])
results = report.with_name(f"{report.stem}-swift-testing{report.suffix}")
if results.exists():
    for case in XML.parse(results).iter("testcase"):
        if case.find("failure") is not None:
            # Reports join suites by points, filters by slashes: the points stand for either.
            suites = re.escape(case.get("classname")).replace(r"\.", ".")
            print(f"^{suites}.{re.escape(case.get('name'))}")
