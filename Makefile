# `make report` and `make test` do all the set-up on a fresh Debian or Ubuntu machine with Python 3.11 or later.

REPO ?= sample_repos/attention-kernels
OUT ?= unwarp-report
SCENARIO ?= $(wildcard $(REPO)/scenario.toml)
ARGS ?=
PYTHON ?= python3

VENV := .venv
BIN := $(VENV)/bin
SAMPLE := sample_repos/attention-kernels

.PHONY: help report test check wheel clean
.DEFAULT_GOAL := help

help:
	@echo "make report                    install, then report on $(REPO) into $(OUT)/"
	@echo "make report REPO=… OUT=…       the same for any folder or archive (SCENARIO=file.toml, ARGS='--exclude …')"
	@echo "make test                      lint, types, layers, tests with coverage, wheel"
	@echo "make clean                     remove what these commands made"

report: $(VENV)/.installed
	@# HTML and JSON need no system package: whatever doctor can't mend, it names, and the report goes on.
	@$(BIN)/unwarp doctor --fix || true
	$(BIN)/unwarp report "$(REPO)" -o "$(OUT)" $(if $(SCENARIO),--scenario "$(SCENARIO)") $(ARGS)

test: check wheel

check: $(VENV)/.installed-test
	@$(BIN)/unwarp doctor --fix || true
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest --numprocesses=auto --cov --cov-report=term

# The wheel must find its data where there is no checkout: a fresh environment, an empty folder.
wheel: $(VENV)/.installed-test
	@set -eu; work=$$(mktemp -d); trap 'rm -rf "$$work"' EXIT; \
	$(BIN)/python -m build --wheel --outdir "$$work/dist" . >"$$work/build.log" 2>&1 || { cat "$$work/build.log"; exit 1; }; \
	$(PYTHON) -m venv "$$work/venv"; \
	"$$work/venv/bin/pip" install --quiet "$$work"/dist/*.whl; \
	cp -r $(SAMPLE) "$$work/sample"; mkdir "$$work/empty"; cd "$$work/empty"; \
	"$$work/venv/bin/unwarp" report ../sample -o out --format html,json,csv; \
	test -s out/report.html && test -s out/assessment.json && test -s out/sites.csv; \
	echo "wheel: installed in an empty folder, the report is there"

$(VENV)/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "unwarp needs Python 3.11 or later; $(PYTHON) is older. Give another with PYTHON=python3.12" >&2; exit 2; }
	@rm -rf $(VENV); $(PYTHON) -m venv $(VENV) \
		|| { rm -rf $(VENV); echo "Python's venv module is missing. On Debian and Ubuntu:  apt-get install -y python3-venv" >&2; exit 2; }

$(VENV)/.installed: $(VENV)/bin/pip pyproject.toml
	$(BIN)/pip install --quiet --editable .
	@touch $@

$(VENV)/.installed-test: $(VENV)/bin/pip pyproject.toml
	$(BIN)/pip install --quiet --editable '.[test]'
	@touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) unwarp-report dist build .coverage htmlcov .hypothesis .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
