"""Reading in workers gives what reading here gives, and a file that ends a worker costs itself alone."""

from __future__ import annotations

import gc
import os

import pytest

from estimator.knowledge import load_heuristics
from estimator.languages.facts import NOTHING_HARVESTED
from estimator.scan import Reader, engine, scan
from estimator.sources import open_source


def doubled(number: int) -> int:
    return number * 2


def dies_of_seven(number: int) -> int:
    if number == 7:
        os._exit(3)
    return number


def hungry_at_nine(number: int) -> int:
    if number == 9:
        raise MemoryError
    return number


def missing(number: int) -> int:
    return -number


def test_results_come_in_the_order_of_the_files():
    numbers = range(100)
    assert engine.each(numbers, doubled, missing, jobs=2, few=0) == [doubled(number) for number in numbers]


def test_one_that_ends_the_worker_is_lost_and_no_other():
    expected = [-7 if number == 7 else number for number in range(60)]
    assert engine.each(range(60), dies_of_seven, missing, jobs=2, few=0) == expected


def test_one_that_takes_too_much_memory_is_lost_and_no_other():
    expected = [-9 if number == 9 else number for number in range(30)]
    assert engine.each(range(30), hungry_at_nine, missing, jobs=2, few=0) == expected


def test_few_files_are_read_here():
    assert engine.each([os.getpid()], lambda pid: pid == os.getpid(), missing, jobs=8) == [True]


def test_a_scan_does_not_depend_on_the_number_of_workers(tmp_path):
    for number in range(310):
        (tmp_path / f"{number}.cu").write_text("__global__ void k(int* p) { p[threadIdx.x % 32] = __activemask(); }\n")
    heuristics, tree = load_heuristics(), open_source(tmp_path)
    here = scan(tree, heuristics)
    assert scan(tree, heuristics, jobs=2) == here
    assert len(here.sites) == 3 * 310


@pytest.mark.parametrize("enabled", [True, False])
def test_no_cycles_are_looked_for_while_a_file_is_read(enabled, tmp_path):
    (tmp_path / "a.cu").write_text("void f() { cudaFree(p); }\n" * 200)
    read, (file,) = Reader(NOTHING_HARVESTED, load_heuristics()), open_source(tmp_path).files
    runs = []

    def note(phase, _):
        runs.append(phase)

    usual = gc.get_threshold()
    gc.callbacks.append(note)
    try:
        gc.set_threshold(50)
        if not enabled:
            gc.disable()
        runs.clear()
        assert read(file).sites
        assert gc.isenabled() is enabled
        assert len(runs) < 10  # those that are due before and after
    finally:
        gc.callbacks.remove(note)
        gc.set_threshold(*usual)
        gc.enable()
