# motiform: `make demo` and `make test` do everything, set-up included.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
EXTRAS ?= dev,peers,studio,ct,report,usd,dask,midi
# The package with the studio, and with what tests need beside it: `make demo` installs no more than a user would.
PACKAGE := $(VENV)/.package
TOOLS   := $(VENV)/.tools
# A worker for each core; one that is done takes tests from the others.
TEST    := $(BIN)/python -m pytest -q -n auto --dist worksteal
DOCS    := $(VENV)/.docs
# Tests start many processes, which read bytecode in half of the time; it is kept in the environment.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(CURDIR)/$(VENV)/bytecode
CASES ?= 1000000
KILLS ?= 1000
SEED  ?= 1

# $(call install,WHAT): the locked versions with their checksums, by uv (from the system, else into the environment), or by
# pip where uv fails; then motiform itself, built by what is locked.
define install
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python .ci/locked.py uv > $(VENV)/uv.lock && $(BIN)/python .ci/locked.py '$(1)' > $(VENV)/install.lock
	@uv=$$(command -v uv) || { $(PIP) --require-hashes -r $(VENV)/uv.lock && uv=$(BIN)/uv; } || uv=false; \
	  uv="$$uv pip install -q --python $(BIN)/python"; \
	  { $$uv --require-hashes -r $(VENV)/install.lock || $(PIP) --require-hashes -r $(VENV)/install.lock; } && \
	  { $$uv --no-deps --no-build-isolation -e . || $(PIP) --no-deps --no-build-isolation -e .; }
	@touch $@
endef
PIP := $(BIN)/python -m pip install -q --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow fuzz soak check bench docs docs-quick coverage lock clean

help: ## list what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

setup: $(TOOLS) ## make the environment for tests, with the locked dependencies

$(PACKAGE): pyproject.toml requirements.lock
	@echo "Installing motiform into $(VENV) (about a minute, once) ..."
	$(call install,.[studio])

$(TOOLS): $(PACKAGE)
	@echo "Installing what checks and tests need ($(EXTRAS)) ..."
	$(call install,.[$(EXTRAS)])

$(DOCS): $(TOOLS)
	@echo "Installing what the documentation needs ..."
	$(call install,.[docs])

demo: $(PACKAGE) ## a tour of the chain in nine scenes, and the studio (without a display: write the results and end)
	$(BIN)/motiform demo --out demo

test: setup ## the tests that take minutes
	$(TEST) -m "not slow and not gpu"

test-slow: check docs-quick ## check, the documentation, and the tests that take longer
	$(TEST) -m "slow and not gpu and not browser"
	$(BIN)/python -m pytest -q -m "browser and not gpu"  # alone: what is timed in a page must not wait for other tests

fuzz: setup ## files, scenes, recordings and calls changed at random (CASES=…, SEED=…)
	$(BIN)/python tests/fuzz/run.py --cases $(CASES) --seed $(SEED)

soak: setup ## runs killed, stopped and hindered, and resumed to the same bits (KILLS=…, SEED=…)
	$(BIN)/python tests/soak/run.py --kills $(KILLS) --seed $(SEED)

check: setup ## format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup ## measure against peers
	$(BIN)/motiform bench

docs: $(DOCS) ## build the documentation, gallery included
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html

docs-quick: $(DOCS) ## the documentation with the pictures that are there: no example is executed
	$(BIN)/sphinx-build -q -W --keep-going -j auto -t quick -b html docs docs/_build/quick

coverage: setup ## the tests that take minutes, with the lines that they reach
	$(TEST) -m "not slow and not gpu" --cov --cov-report=term

lock: setup ## resolve the dependencies anew
	$(BIN)/uv pip compile -q --universal --all-extras --python-version 3.11 --no-header --annotation-style=line --generate-hashes --upgrade pyproject.toml -o requirements.lock

clean: ## remove what can be made again
	rm -rf $(VENV) build dist demo docs/_build docs/gallery .pytest_cache .mypy_cache .ruff_cache
