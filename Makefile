# SPDX-License-Identifier: Apache-2.0
# The few commands one needs; each makes first whatever it needs and is quick when that is already there.
.DEFAULT_GOAL := help
.PHONY: help bootstrap docs demo test test-long attack sanitize checked valgrind ptx bench figures lint format clean
export PATH := $(CURDIR)/.venv/bin:$(PATH)
JOBS := $(shell nproc)
# Tests wait often, for processes that start and end and for the disk: with as many at once as cores, a fifth of the cores idled.
AT_ONCE := $(shell expr $(JOBS) + 1)
# Those in C++ are counted by their ranks, which yield to each other: two for each core take five sixths of the time of one.
RANKS := $(shell expr $(JOBS) \* 2)
PYTEST := pytest -q -n $(AT_ONCE) --dist loadfile --no-loadscope-reorder

help:       ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

bootstrap:  ## install what is missing, make .venv, build build/release
	@tools/bootstrap

docs:       ## the site of the documents, in build/docs/site (needs no compiler)
	@tools/bootstrap --python
	@python tools/docs.py

demo: bootstrap  ## run the cavity and a table of strategies, draw the pictures
	@tools/demo

test: bootstrap  ## the C++ tests, then the Python tests
	ctest --preset release -j$(RANKS)
	$(PYTEST)

test-long:  ## everything, the long cases included, and the C++ tests again under MPICH and with watching views
	@tools/bootstrap --mpich --browser
	ctest --test-dir build/release --output-on-failure -j$(RANKS)
	$(PYTEST) -m ''
	cmake --preset mpich
	cmake --build --preset mpich -j$(JOBS)
	ctest --preset mpich -j$(JOBS)
	$(MAKE) checked

attack: bootstrap  ## kills, limits, bad input, damaged files: what each attack came to, counted (half an hour)
	@python -m tests.attack

sanitize: bootstrap  ## the engine's tests under the address, undefined and thread sanitizers
	for preset in sanitize tsan; do \
	  cmake --preset $$preset && cmake --build --preset $$preset -j$(JOBS) --target sanitize_tests && \
	  ctest --preset $$preset -j$(JOBS) -L '^(unit|sanitize)$$' -E '\.[3-9]$$' || exit 1; \
	done

checked: bootstrap  ## tests with kernels that are stopped where they touch what they did not declare
	cmake --preset checked
	cmake --build --preset checked -j$(JOBS)
	ctest --preset checked -j$(JOBS)

valgrind: bootstrap  ## the halo functions under valgrind, in a build that it understands
	cmake --preset valgrind
	cmake --build --preset valgrind -j$(JOBS)
	ctest --preset valgrind

ptx: bootstrap  ## the device tests without a device (needs nvcc): the host carries out what nvcc wrote
	cmake --preset cuda
	cmake --build --preset cuda -j$(JOBS)
	ctest --preset cuda -j$(JOBS) -L '^ptx$$'

bench: bootstrap  ## measure, and print each ratio beside its goal
	@python bench/run.py

figures: bootstrap  ## the documents' tables and pictures that take minutes, anew (under an hour); NAMES="…" for others, NAMES=--list for all
	@python tools/figures.py $(or $(NAMES),--cheap)

lint: bootstrap  ## formatting, Python style, include directions
	@tools/lint

format: bootstrap  ## format everything in place
	@tools/lint --fix

clean:      ## remove what was built (runs/ and .venv stay)
	rm -rf build .pytest_cache .ruff_cache
