# Sightline. What each target does: `make help`.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup build demo test test-repeat monitoring lint format bench cluster-bench cluster-files cluster-roll cluster-chaos bench-check lab lab-loopback lab-precall lab-line lab-access lab-labelled lab-simulated lab-peer-to-peer lab-reference lab-reference-page lab-replay dumps recorded-calls fixtures sizing acceptance apple examples chaos firefox hostile api-check soak sanitize fuzz docs gallery deb deb-check image-check clean

DURATION ?=
FORMAT ?= text
RESOLUTION ?= 640x360
ROUTING ?=
CONDITION ?=
PART ?=
FILTER ?=
QUICK ?=
ONLY ?=
# A crash report is worth seconds, not the minutes that its interactive form can hang.
export SWIFT_BACKTRACE ?= interactive=no,color=no

help: ## lists the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

setup: ## installs what is missing (apt), and says what
	@Scripts/install-dependencies.sh

build: setup ## builds everything (debug)
	swift build

demo: setup ## a real call between two participants through server and router, with its statistics live
	@Scripts/demo.sh --duration "$(DURATION)" --format "$(FORMAT)" --resolution "$(RESOLUTION)" --condition "$(CONDITION)" --routing "$(ROUTING)"

test: setup ## builds, and runs every test, and what was skipped; FILTER=name runs some
	@Scripts/install-test-tools.sh
	swift build --build-tests
	Scripts/test.sh '$(FILTER)'

test-repeat: setup ## every test RUNS (20) times in a row, every second time beside two busy processes
	@Scripts/install-test-tools.sh
	swift build --build-tests
	Scripts/repeat-tests.sh $(or $(RUNS),20)

monitoring: ## checks the rules for Prometheus and the dashboard for Grafana
	@Scripts/install-test-tool.sh prometheus promtool "the check of the rules"
	python3 Scripts/check-monitoring.py

lint: ## checks format, words, comparisons with `.none`, generated files, licences of dependencies, which module imports which, and the Apple package and stand-ins
	swift format lint --strict --parallel --recursive --configuration .swift-format Package.swift Plugins Sources Tests Benchmarks Lab Examples Fuzz
	Scripts/check-imports.sh
	python3 Scripts/check-apple-package.py
	python3 Scripts/check-stand-ins.py
	python3 Scripts/generate-stats-model.py --check
	python3 Scripts/check-words.py
	python3 Scripts/check-links.py
	python3 Scripts/check-packaging.py
	python3 Scripts/check-none.py
	python3 Scripts/third-party.py --check

format: ## lays the Swift sources out as lint wants them
	swift format --in-place --parallel --recursive --configuration .swift-format Package.swift Plugins Sources Tests Benchmarks Lab Examples Fuzz

bench: setup ## measures speed (release build, CPU time, ratios side by side)
	swift build -c release --product sightline-bench
	.build/release/sightline-bench

cluster-bench: setup ## measures what samples and calls cost servers on a PostgreSQL of its own, and pages with a million sessions in it: 10 GB in /tmp (release build)
	swift build -c release --product sightline-bench
	Scripts/cluster-bench.sh .build/release/sightline-bench

cluster-files: setup ## runs the files in Packaging/cluster: three servers, PostgreSQL with its standby, HAProxy; kills one part after the other
	@Scripts/install-dependencies.sh haproxy postgresql
	swift build --product sightline
	python3 -B Scripts/cluster files .build/debug/sightline

cluster-roll: setup ## the same, each server ended and started again under calls and joins; CALLS (100)
	@Scripts/install-dependencies.sh haproxy postgresql
	swift build -c release --product sightline
	python3 -B Scripts/cluster roll .build/release/sightline --calls $(or $(CALLS),100)

cluster-chaos: setup ## kills and stops parts of that at random, under telemetry, observed calls and a real call; ROUNDS (200), SEED repeats, ARGS="--only freeze_node"
	@Scripts/install-dependencies.sh haproxy postgresql
	swift build -c release --product sightline
	python3 -B Scripts/cluster chaos .build/release/sightline --rounds $(or $(ROUNDS),200) $(if $(SEED),--seed $(SEED)) $(ARGS)

bench-check: setup ## fails where reading and judging recordings takes more instructions than the baseline; ARGS=--update stores a new one
	@Scripts/install-test-tool.sh valgrind valgrind "the count of instructions"
	swift build -c release --product sightline-analyze
	python3 -B Scripts/bench-check.py $(ARGS) .build/release/sightline-analyze

# A call whose browser is missing would be a call in which nothing was said.
lab: setup ## live calls of native clients, Chromium and Firefox over all access lines, into Lab/ACCESS.md (release build, as root, 2 h); ARGS
	@CI=true Scripts/install-test-tool.sh chromium chromium "the calls with Chromium"
	@CI=true Scripts/install-test-tool.sh firefox-esr firefox-esr "the calls with Firefox"
	$(MAKE) lab-access ARGS="$(addprefix --client ,native chromiumPublisher chromiumSubscriber firefoxPublisher firefoxSubscriber) $(ARGS)"

lab-loopback: setup ## real calls on loopback and pre-call tests, with emulated networks in the clients, scored against their schedules; ARGS, PRECALL
	swift build
	.build/debug/sightline-lab run --commit $(shell git rev-parse --short HEAD 2>/dev/null || echo unknown) $(ARGS)
	.build/debug/sightline-lab precall $(PRECALL)

lab-precall: setup ## the pre-call test alone on emulated networks, its verdicts scored; PRECALL
	swift build
	.build/debug/sightline-lab precall $(PRECALL)

lab-line: setup ## emulated access lines measured with real sockets, into Lab/LINE.md (as root); ARGS
	swift build --product sightline-lab
	.build/debug/sightline-lab line check --results Lab/LINE.md $(ARGS)

lab-access: setup ## live calls over access lines, of native clients unless ARGS choose others, into Lab/ACCESS.md (release build, as root); ARGS
	swift build -c release
	.build/release/sightline-lab access --results Lab/ACCESS.md --commit $(shell git rev-parse --short HEAD 2>/dev/null || echo unknown) $(ARGS)

lab-labelled: setup ## scores the analysis of labelled calls of several engines and topologies; SEED for a fresh set
	swift build --product sightline-lab
	rm -rf .build/labelled && python3 Lab/Counterexamples/generate.py .build/labelled $(if $(SEED),--set random --seed $(SEED),--set given --set more --set outsider --set stranger --set visitor --set guest --set tenant --set lodger --set neighbour)
	.build/debug/sightline-lab labelled .build/labelled $(ARGS)

lab-simulated: setup ## scores the analysis of simulated calls, packet by packet, of all engines; SEED (1), ARGS
	swift build --product sightline-lab
	rm -rf .build/simulated && python3 Lab/Simulator/generate.py .build/simulated --seed $(or $(SEED),1)
	.build/debug/sightline-lab labelled .build/simulated $(ARGS)

lab-peer-to-peer: setup ## real Chromium calls with an issue in one direction each, scored at both ends (15 min); ARGS
	swift build --product sightline-lab
	rm -rf .build/peer-to-peer && python3 -B Lab/PeerToPeer/run.py .build/peer-to-peer $(ARGS)
	.build/debug/sightline-lab labelled .build/peer-to-peer

lab-reference: setup ## real calls whose scores are held against full reference (VMAF, PESQ), into Lab/REFERENCE.md (40 min); ARGS
	swift build
	Lab/Reference/install.sh .build/reference/python
	cd Lab/Reference && ../../.build/reference/python/bin/python -m unittest test_reference
	.build/reference/python/bin/python Lab/Reference/content.py .build/reference/content
	.build/debug/sightline-lab reference run .build/reference/content .build/reference/calls \
		--commit $(shell git rev-parse --short HEAD 2>/dev/null || echo unknown) $(ARGS)
	$(MAKE) lab-reference-page

lab-reference-page: ## compares and judges the calls of lab-reference again and writes its page
	.build/reference/python/bin/python Lab/Reference/measure.py .build/reference/content .build/reference/calls
	.build/debug/sightline-lab reference judge .build/reference/calls
	.build/reference/python/bin/python Lab/Reference/report.py .build/reference/calls Lab/REFERENCE.md

lab-replay: setup ## judges the lab's recordings again; DIR (lab-calls), ARGS
	swift build --product sightline-lab
	.build/debug/sightline-lab replay $(ARGS) $(or $(DIR),lab-calls)

dumps: setup ## judges the dumps in DIR, makes their pages, and compares their totals with those in DIR/expected
	swift build --build-tests
	SIGHTLINE_DUMPS='$(abspath $(or $(DIR),dumps))' swift test --skip-build --filter 'CallReportTests.*DumpFolderTests'

recorded-calls: setup ## real Chromium calls with one thing done to each, as dumps and rtcstats recordings, judged, their pages into Docs/recorded-calls (as root, 15 min); RTCSTATS, ARGS
	@Scripts/install-test-tool.sh chromium chromium "the recorded calls"
	swift build --product sightline-lab
	swift build --product sightline-analyze
	python3 -B Lab/RecordedCalls/run.py .build/recorded-calls --pages Docs/recorded-calls $(if $(RTCSTATS),--rtcstats '$(RTCSTATS)') $(ARGS)

fixtures: ## records again what Chromium and Firefox save about a call; ARGS: chromium, firefox
	@Scripts/install-test-tool.sh chromium chromium "Chromium's recordings"
	@Scripts/install-test-tool.sh firefox-esr firefox-esr "Firefox's recordings"
	python3 Scripts/record-fixtures.py $(ARGS)

sizing: setup ## what a call costs router and server (release build, CPU time)
	swift build -c release --product sightline
	Scripts/sizing.sh

acceptance: setup ## long calls against the conditioner's own counters, and 100 rounds of joining and leaving; PART=name
	swift build --build-tests
	python3 Scripts/acceptance.py $(PART)
	SIGHTLINE_ROUNDS=100 swift test --skip-build --filter 'EndToEndTests'

chaos: setup ## a session to which everything happens, for long; SEED=number repeats a run, DURATION mishaps (24)
	swift build --build-tests
	SIGHTLINE_CHAOS=$(or $(DURATION),24) $(if $(SEED),SIGHTLINE_SEED=$(SEED)) swift test --skip-build --filter 'EndToEndTests.*ChaosTests'

apple: ## compiles AppleWebRTC against stand-ins for WebRTC.framework, SwiftUI and AVFoundation, and tests it
	swift test --package-path Tests/AppleStandIns

firefox: setup ## a Firefox in a call with native clients, headless, with synthetic camera and microphone
	@Scripts/install-test-tool.sh firefox-esr firefox-esr "the tests with Firefox"
	swift build --build-tests
	SIGHTLINE_FIREFOX=1 swift test --skip-build --filter 'EndToEndTests.*FirefoxTests'

examples: setup ## builds the examples and runs each against a server started for it
	swift build
	Scripts/examples.sh

hostile: setup ## attacks a server that carries a call, and says what happened to both; QUICK=1 in three minutes, ONLY=C1,H2
	@python3 -c "import cryptography" 2>/dev/null \
		|| Scripts/install-test-tool.sh python3-cryptography ../lib/python3/dist-packages/cryptography "the attacks by DTLS and SRTP"
	swift build -c release --product sightline
	python3 -B Scripts/hostile --binary .build/release/sightline --commit $(shell git rev-parse --short HEAD 2>/dev/null || echo unknown) \
		$(if $(QUICK),--quick) $(if $(ONLY),--only $(ONLY)) $(if $(QUICK)$(ONLY),,--output Docs/hostile.md)

api-check: setup ## holds the HTTP API's description against a real server (schemathesis from PyPI); EXAMPLES (50), SEED repeats
	swift build --product sightline
	python3 -B Scripts/api-check.py .build/debug/sightline $(or $(EXAMPLES),50) $(SEED)

soak: setup ## 1,000 sessions whose clients come and go beside a call, memory and descriptors measured; DURATION in seconds (1200), SESSIONS (1000)
	swift build -c release --product sightline
	python3 -B Scripts/soak.py --binary .build/release/sightline --duration $(or $(DURATION),1200) --sessions $(or $(SESSIONS),1000)

sanitize: setup ## tests under AddressSanitizer and ThreadSanitizer; PART=address, thread
	Scripts/sanitize.sh $(PART)

fuzz: setup ## fuzzes whatever takes input from outside; DURATION in seconds each (60), TARGET=name, SEED=number repeats
	TARGET='$(TARGET)' SEED='$(SEED)' Scripts/fuzz.sh $(or $(DURATION),60)

gallery: setup ## screenshots of the dashboard over a demo call, into Docs/gallery
	@Scripts/install-test-tool.sh chromium chromium "the screenshots"
	swift build --product sightline
	python3 -B Scripts/gallery.py

docs: setup ## builds the documentation into docs-site/, and compiles what it shows
	swift build
	python3 Scripts/check-guides.py
	Scripts/docs.sh
	python3 Scripts/check-links.py docs-site

deb: setup ## a Debian package of server and command line tool in .build/deb, held against lintian
	swift build -c release --product sightline
	Scripts/package-deb.sh

deb-check: deb ## installs that package in a fresh Debian 12, makes a call, upgrades and removes it (as root)
	Scripts/check-deb.sh .build/deb/sightline_*.deb

image-check: deb ## does what the image's last stage says in a fresh Debian 12, with that package, and starts the server (as root)
	Scripts/check-image.sh .build/deb/sightline_*.deb

clean: ## removes what was built
	rm -rf .build .build-* docs-site
