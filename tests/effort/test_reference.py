"""What ports say of a code base: it is counted as they were, and told where they don't speak of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from estimator.effort.reference import measured
from estimator.findings.values import Disposition


def test_files_of_the_host_side_are_counted_once(tree):
    built = tree()
    built.site("runtime.verify", "cudaMalloc", path="a.cu", disposition=Disposition.AUTOMATIC)
    built.site("runtime.verify", "cudaFree", path="a.cu", disposition=Disposition.AUTOMATIC, count=3)
    built.site("api.driver", "cuLaunch", path="b.cpp", category="driver-api")
    built.site("runtime.verify", path="c.cu", disposition=Disposition.EXCLUDED)
    built.site("warp.size32", path="d.cu", category="warp-size")
    counts = measured(built.kernel("kernel.reduction").found())
    assert (counts["host_api_files"], counts["runtime_sites"], counts["driver_sites"]) == (2, 4, 1)
    assert (counts["api_symbols"], counts["warp_sites"]) == (3, 1)


def test_without_debt_there_is_no_second_opinion(said, tree):
    portable = tree().site("runtime.verify", disposition=Disposition.AUTOMATIC)
    assert said(portable) is None


def test_a_code_base_among_the_ports(said, among_the_ports, ports, units):
    reference = said(among_the_ports())
    assert (reference.reason, reference.unblended, reference.because) == ("", "", ())
    assert (reference.people, reference.host_api_files, reference.ports) == (2, 20, len(ports))
    assert reference.hours.p50 == pytest.approx(reference.days.p50 * units.hours_per_day)


def test_it_says_where_it_does_not_apply(said, tree, rule):
    alike = tree(cuda_lines=5000).kernel("kernel.reduction", "a")
    reference = said(alike)
    assert reference.blend is None
    assert "0 files with calls of the CUDA runtime or driver to port, the ports had 1 to 54" in reference.unblended
    strict = replace(rule, unlike=("kernel.reduction", "runtime.verify"))
    assert "no functional hours of kinds that the ports held" in said(alike, rule=strict).unblended


def test_without_a_team_the_class_knows_no_feature(said, among_the_ports):
    reference = said(among_the_ports(), people=None)
    assert (reference.people, reference.features) == (None, ())
    assert reference.blend.class_error > said(among_the_ports()).blend.class_error


@pytest.mark.parametrize("people", [5, 6, 100])
def test_more_people_than_any_port_had_count_as_the_most(said, among_the_ports, people):
    most = said(among_the_ports(), people=5)
    assert replace(said(among_the_ports(), people=people), people=5) == most


def test_an_estimate_above_what_ports_took_names_the_rows(said, tree, rule):
    built = tree().site("runtime.no_equiv")
    for number in range(40):
        built.site("warp.size32", f"s{number}", path=f"{number}.cu", function=f"f{number}", category="warp-size")
    reference = said(built, rule=replace(rule, days_most=2))
    assert reference.functional_days > 2
    assert reference.because[0].weight == "warp.size32"
    assert said(built).because == ()
