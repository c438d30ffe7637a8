"""What the entries of a scope file do to the hours, on one scan of a sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.effort import estimate
from estimator.effort.side_by_side import MOST_ALONE, Priced, ScopeTotal, side_by_side
from estimator.findings import gather, library_class
from estimator.findings.scope import Choice, Scoped, ScopeEntry, scoped, settled
from estimator.findings.values import Disposition, Findings
from estimator.knowledge import load_heuristics
from estimator.knowledge.values import Heuristics
from estimator.resources import data_folder
from estimator.scan import scan
from estimator.scan.sites import Scan
from estimator.sources import open_source
from estimator.sources.files import Owner, SourceTree

OPTIONS = ("amd", "triton-first")
VERDICT = "amd"  # what is decided of each scope is for `decision`


@dataclass(frozen=True)
class Code:
    """A sample that is scanned once, with what prices it."""

    tree: SourceTree
    scanned: Scan
    heuristics: Heuristics

    def settled(self, *entries: ScopeEntry) -> Scoped:
        scope = scoped(self.tree, entries, self.heuristics.components)
        return settled(scope, self.scanned.kernels, self.scanned.functions)

    def found(self, *entries: ScopeEntry) -> Findings:
        scope = self.settled(*entries)
        return self._gather()(scope.choice(scope.matches))

    def rows(self, *entries: ScopeEntry) -> tuple[ScopeTotal, ...]:
        price = partial(
            estimate,
            weights=self.heuristics.weights,
            units=replace(self.heuristics.units, draws=500),
            performance=self.heuristics.performance,
            seed=1,
        )
        scope = self.settled(*entries)

        def priced(choice: Choice) -> Priced:
            return Priced(price(self._gather()(choice)), VERDICT)

        return side_by_side(scope, priced, priced(scope.choice(scope.matches)))

    def total(self, what: str, *entries: ScopeEntry) -> ScopeTotal:
        return next(row for row in self.rows(*entries) if row.what == what)

    def _gather(self) -> Callable[..., Findings]:
        components = {file.path: file.component for file in self.tree.files}
        return partial(gather, self.scanned, components, self.heuristics, 64)


@pytest.fixture(scope="module")
def code() -> Code:
    """A C++ program with own kernels in several files."""
    heuristics = load_heuristics()
    tree = open_source(data_folder("sample_repos") / "hpc-stencil")
    return Code(tree, scan(tree, heuristics), heuristics)


def entry(table: str, path: str = "", kernel: str = "", by: str = "") -> ScopeEntry:
    return ScopeEntry(table, path, "because", "scope.toml:1", kernel, by)


FIELDS = "src/kernels/fields.cu"
CHOICES = tuple(
    entry(table, *where)
    for table in ("leave_out", "later")
    for where in (
        ("src/kernels/energy.cu",),
        (FIELDS,),
        ("", "step_kernel"),
        ("src/", "*_kernel"),
        ("app/",),
        ("*.h*",),
    )
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(CHOICES), min_size=1, max_size=5, unique=True))
def test_leaving_out_never_costs_more_and_nothing_is_lost(code: Code, entries: list[ScopeEntry]) -> None:
    """Without Python nothing is blended by shares, which may rise when something leaves."""
    rows = {row.what: row for row in code.rows(*entries)}
    everything, now = rows["everything"].hours["amd"], rows["now"].hours["amd"]
    for row in code.rows(*entries):
        if row.what == "entry":
            assert now.likely <= row.hours["amd"].likely + 1e-9 <= everything.likely + 2e-9
    assert now.p80 <= everything.p80
    if "postponed" in rows:
        for option in OPTIONS:
            later, both = (rows[name].hours[option] for name in ("postponed", "now-and-postponed"))
            for measure in ("likely", "mean"):
                parts = getattr(rows["now"].hours[option], measure) + getattr(later, measure)
                assert parts == pytest.approx(getattr(both, measure))
        assert rows["postponed"].hours["amd"].p10 >= 0


def test_postponing_alone_leaves_the_whole_as_it_was(code: Code) -> None:
    rows = {row.what: row for row in code.rows(entry("later", FIELDS), entry("later", "", "step_kernel"))}
    assert rows["now-and-postponed"].hours == rows["everything"].hours
    assert rows["postponed"].hours["amd"].p50 > 0
    assert rows["now"].change["amd"].likely == pytest.approx(-rows["postponed"].hours["amd"].likely)


def test_shared_rows_are_counted_once_with_what_is_done_now(code: Code) -> None:
    """Apart from each other both would pay the set-up."""
    everything = code.total("everything", entry("later", FIELDS)).hours["amd"].likely
    postponed = code.total("postponed", entry("later", FIELDS)).hours["amd"].likely
    rest = [f"/{file.path}" for file in code.tree.files if file.path != FIELDS]
    only = code.total("now", *(entry("leave_out", path) for path in rest)).hours["amd"].likely
    assert postponed < only < everything


@pytest.mark.parametrize(("name", "places"), [("resample_kernel", 2), ("step_kernel", 2)])
def test_a_library_comes_in_where_a_kernel_leaves(code: Code, name: str, places: int) -> None:
    found = code.found(entry("replace", "", name, "cuSPARSE"))
    (kernel,) = (judged for judged in found.kernels if judged.kernel.name == name)
    assert (kernel.disposition, kernel.weight, kernel.replaced_by) == (Disposition.DEBT, "shim.cusparse", "cuSPARSE")
    inside = [judged for judged in found.sites if judged.reason == "replaced by cuSPARSE: because"]
    debt = [judged.site.category for judged in inside if judged.disposition is not Disposition.EXCLUDED]
    assert (len(inside), debt) == (places, ["cuda-kernel"])
    priced = estimate(found, code.heuristics.weights, code.heuristics.units, code.heuristics.performance, seed=1)
    (price,) = (price for price in priced.kernels if price.name == name)
    assert price.plan == "library"
    (line,) = (line for line in priced.options["amd"].lines if line.weight == "shim.cusparse")
    weight = code.heuristics.weights["shim.cusparse"]
    assert (line.count, line.hours) == (1, weight.hours["amd"])  # type: ignore[union-attr]
    assert [found.findings[int(number[1:]) - 1].category for number in line.findings] == ["cuda-kernel"]
    assert line.sum.startswith("1 x ")


def test_the_fixed_row_of_a_library_comes_with_it(code: Code) -> None:
    found = code.found(entry("replace", "", "step_kernel", "CUTLASS"))
    priced = estimate(found, code.heuristics.weights, code.heuristics.units, code.heuristics.performance, seed=1)
    assert {"lib.cutlass.fixed", "lib.cutlass.symbol"} <= {line.weight for line in priced.options["amd"].lines}


@pytest.mark.parametrize("library", ["cuDSS", "CUTLASS-DSL"])
def test_a_library_without_a_price_is_shown_as_such(code: Code, library: str) -> None:
    """Whether a rule names its class or none names the library at all."""
    replaced = entry("replace", "", "step_kernel", library)
    assert code.total("everything", replaced).unpriced + 1 == code.total("now", replaced).unpriced
    found = code.found(replaced)
    priced = estimate(found, code.heuristics.weights, code.heuristics.units, code.heuristics.performance, seed=1)
    (row,) = (row for row in priced.unpriced if row.weight == "lib.other")
    assert (row.category, row.sites) == ("cuda-kernel", 1)
    assert "not established" in row.reason
    (price,) = (price for price in priced.kernels if price.name == "step_kernel")
    assert (price.plan, price.hours) == ("library", {})


def test_a_library_with_two_classes_counts_at_the_dearer_one(code: Code) -> None:
    assert library_class("cuDNN", code.heuristics) == "lib.cudnn_graph.symbol"
    assert library_class("TensorRT", code.heuristics) == "lib.tensorrt.symbol"


def test_what_is_put_back_is_measured_against_what_was_found() -> None:
    heuristics = load_heuristics()
    tree = open_source(data_folder("sample_repos") / "hpc-stencil")
    theirs = tuple(
        replace(file, owner=Owner.VENDORED, owner_reason="theirs") if file.path == FIELDS else file
        for file in tree.files
    )
    tree = replace(tree, files=theirs)
    back = entry("put_back", FIELDS)
    code = Code(scoped(tree, [back]).tree, scan(scoped(tree, [back]).tree, heuristics), heuristics)
    code = replace(code, tree=tree)
    as_found, alone, everything = code.rows(back)
    assert [row.what for row in (as_found, alone, everything)] == ["as-found", "entry", "everything"]
    assert alone.hours == everything.hours
    assert alone.change["amd"].likely > 0
    assert as_found.hours["amd"].likely + alone.change["amd"].likely == pytest.approx(everything.hours["amd"].likely)


def test_no_entries_give_no_rows(code: Code) -> None:
    assert code.rows() == ()


def test_of_many_entries_the_first_are_priced_alone(code: Code) -> None:
    entries = [replace(entry("later", FIELDS), why=str(number)) for number in range(MOST_ALONE + 2)]
    rows = code.rows(*entries)
    alone = [row.entry for row in rows if row.what == "entry"]
    assert alone == entries[:MOST_ALONE]
    assert [row.what for row in rows if row.what != "entry"] == ["everything", "now", "postponed", "now-and-postponed"]
