"""Porting strategies: the shipped table says what it should, and faults are named, all at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from estimator.errors import EstimatorError
from estimator.knowledge import load_heuristics
from estimator.knowledge.strategies import load_strategies
from estimator.quantities import Hours, Triple

HEURISTICS = Path(__file__).resolve().parents[2] / "heuristics"
TABLE = """
[copy]
title = "A copy"
what = "Two of everything."
keeps = "two sources"
part = "conversion"
phase = "runs"
price = [{ per = "build_files", host = "cpp", low = 1, likely = 2, high = 3 }]
upkeep = { low = 0.1, likely = 0.2, high = 0.3 }
unfit = [{ weights = ["runtime.no_equiv"], most = 4, why = "{figure} of them" }]
grade = "C"
source = "somebody"
"""


def loaded(tmp_path, text, weights=("runtime.no_equiv",)):
    path = tmp_path / "strategies.toml"
    path.write_text(text)
    return load_strategies(path, weights)


def test_the_shipped_four_stand_in_order_and_say_where_they_are_judgement():
    shipped = load_heuristics().strategies
    names = ["alias-header", "hipify-at-build", "abstraction-layer", "duplicated-tree"]
    assert [one.id for one in shipped] == names
    assert [one.keeps for one in shipped] == ["one source"] * 3 + ["two sources"]
    for one in shipped:
        assert one.grade != "C" or one.source.startswith("judgement")


def test_only_the_copy_has_an_upkeep_of_its_own_and_it_is_what_was_measured():
    upkeep = {one.id: one.upkeep for one in load_heuristics().strategies if one.upkeep}
    assert list(upkeep) == ["duplicated-tree"]
    assert upkeep["duplicated-tree"].likely == pytest.approx(39 / 46 * 12 / 14, abs=0.005)


def test_the_copy_costs_what_the_layer_costs_and_more():
    """Else more debt could make it the cheaper one of the two, and cost less now for more each year."""
    shipped = {one.id: one for one in load_heuristics().strategies}
    assert set(shipped["abstraction-layer"].price) < set(shipped["duplicated-tree"].price)
    assert shipped["abstraction-layer"].upkeep is None


def test_a_strategy_is_read_whole(tmp_path):
    (one,) = loaded(tmp_path, TABLE)
    assert (one.id, one.price[0].hours, one.price[0].host) == ("copy", Hours(1, 2, 3), "cpp")
    assert one.upkeep == Triple(0.1, 0.2, 0.3)
    assert (one.unfit[0].weights, one.unfit[0].most) == (("runtime.no_equiv",), 4)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'per = "build_files"',
            'per = "build_file"',
            "nothing is counted as 'build_file' (did you mean 'build_files'?)",
        ),
        ("low = 1, likely = 2", "low = 3, likely = 2", "low <= likely <= high must hold"),
        ('host = "cpp"', 'host = "java"', "copy.price.0.host: "),
        ('keeps = "two sources"', 'keeps = "three"', "copy.keeps: must be 'one source' or 'two sources'"),
        ('part = "conversion"', 'part = "conversoin"', "no part 'conversoin' (did you mean 'conversion'?)"),
        ('phase = "runs"', 'phase = "walks"', "copy.phase: must be 'runs', 'right' or 'fast'"),
        ('["runtime.no_equiv"]', '["runtime.no_equip"]', "no weight class 'runtime.no_equip' (did you mean"),
        ('weights = ["runtime.no_equiv"]', 'count = "people"', "nothing is counted as 'people'"),
        ('weights = ["runtime.no_equiv"], ', "", "counts one thing; give 'count' or 'weights'"),
        ("most = 4", "most = -1", "copy.unfit.0.most: must be at least 0"),
        ('source = "somebody"', "", "copy.source: is missing"),
        ("[copy]", "odd = 1\n[copy]", "odd: stands outside a table"),
    ],
)
def test_a_fault_says_where_and_what(tmp_path, old, new, message):
    assert TABLE.count(old) == 1
    with pytest.raises(EstimatorError) as caught:
        loaded(tmp_path, TABLE.replace(old, new))
    assert message in str(caught.value)
    assert "strategies.toml" in str(caught.value)


def test_all_faults_of_all_strategies_come_at_once(tmp_path):
    bad = TABLE.replace('grade = "C"', 'grade = "D"').replace('what = "Two of everything."\n', "")
    with pytest.raises(EstimatorError) as caught:
        loaded(tmp_path, bad + bad.replace("[copy]", "[other]"))
    assert [text.partition("toml: ")[2].partition(":")[0] for text in str(caught.value).splitlines()] == [
        "copy.what",
        "copy.grade",
        "other.what",
        "other.grade",
    ]


def test_names_of_weights_are_let_be_where_none_are_given(tmp_path):
    text = TABLE.replace("runtime.no_equiv", "anything")
    assert loaded(tmp_path, text, None)[0].unfit[0].weights == ("anything",)
