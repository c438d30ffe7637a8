"""The HTML page: the Assessment's figures, nothing unescaped, nothing loaded."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from types import ModuleType
from typing import Any

import pytest

from estimator.assessment import Assessment
from estimator.knowledge import load_heuristics
from estimator.report import allocation, figures, render
from estimator.report.figures import exact, round_two
from estimator.report.page import page, sections
from estimator.report.sections import SECTIONS

ALLOWED = frozenset(
    {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "main",
        "section",
        "p",
        "span",
        "h1",
        "h2",
        "h3",
        "h4",
        "dl",
        "div",
        "dt",
        "dd",
        "small",
        "strong",
        "table",
        "caption",
        "colgroup",
        "col",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "figure",
        "figcaption",
        "details",
        "summary",
        "ul",
        "ol",
        "li",
        "nav",
        "a",
        "code",
        "pre",
        "svg",
        "g",
        "path",
        "defs",
        "use",
        "text",
        "clippath",
        "rect",
        "desc",
    }
)


class Reader(HTMLParser):
    """Collects elements, attributes and the text of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    return reader


@pytest.fixture(params=["plain", "priced", "nothing", "hostile", "nvidia", "external"])
def any_assessment(request: pytest.FixtureRequest, samples: ModuleType) -> Any:
    match request.param:
        case "plain":
            return samples.sample()
        case "priced":
            return samples.sample(scenario=samples.priced_scenario())
        case "nothing":
            return samples.nothing_to_port()
        case "hostile":
            return samples.hostile()
        case "nvidia":
            return samples.sample(verdict=samples.Verdict.NVIDIA)
    return samples.sample(scenario=samples.priced_scenario(), audience="external")


def test_the_page_is_harmless(any_assessment: Assessment) -> None:
    html = render(any_assessment, "html").decode("utf-8")
    reader = read(html)
    assert {tag for tag, _ in reader.elements} <= ALLOWED
    ids = [attributes["id"] for _, attributes in reader.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for tag, attributes in reader.elements:
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("href", "xlink:href", "src", "action"):
            if name in attributes:
                target = attributes[name] or ""
                assert target.startswith("#"), (tag, target)
                assert target[1:] in ids
        for value in attributes.values():
            assert not re.search(r"url\((?!#)", value or "")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]", html)


def test_every_section_opens_with_a_conclusion_and_says_how_to_check(samples: ModuleType) -> None:
    html = page(samples.sample())
    for section in sections(samples.sample())[2:]:
        part = html.split(f'<section id="{section.name}"')[1].split("</section>")[0]
        first = part.split("</h2>")[1].lstrip()
        assert first.startswith(('<p class="conclusion">', '<p class="confidential">')), section.name
        assert 'class="check"' in part, section.name


def test_headline_figures_are_those_of_the_estimate(samples: ModuleType) -> None:
    assessment = samples.sample()
    html = page(assessment)
    first = html.split("</section>")[0]
    for name in ("amd", "triton-first"):
        hours = assessment.estimate.options[name].hours
        day = assessment.estimate.hours_per_day
        cells = (
            f'<td class="number">{round_two(hours.p50 / day)}</td><td class="number">{round_two(hours.p80 / day)}</td>'
        )
        assert cells in first
    assert "Uncalibrated" in first
    assert "hours of your own team." in first
    assert "Confidence: medium" in first
    assert "2 sites without a price" in first


def test_the_sum_is_shown_and_adds_up(samples: ModuleType) -> None:
    assessment = samples.sample()
    view = next(section.view for section in sections(assessment) if section.name == "location")
    for table, name in zip(view.sums, ("amd", "triton-first"), strict=True):
        option = assessment.estimate.options[name]
        likely = [float(row[4].replace(",", "")) for row in table.rows]
        assert sum(likely[:-1]) == pytest.approx(likely[-1], abs=0.005 * len(likely))
        assert table.rows[-1][4] == exact(option.hours.likely, 2)
        assert "sum and total agree" in table.note


def test_a_sum_that_differs_is_said(samples: ModuleType) -> None:
    assessment = samples.sample()
    option = assessment.estimate.options["amd"]
    wrong = replace(option, scopes={**option.scopes, "full": replace(option.hours, likely=option.hours.likely + 3)})
    options = {**assessment.estimate.options, "amd": wrong}
    changed = replace(assessment, estimate=replace(assessment.estimate, options=options))
    assert "sum and total differ by 3.00 h" in page(changed)


@pytest.mark.parametrize("by", [allocation.by_category, allocation.by_component, allocation.by_file])
def test_shares_add_up_to_the_likely_total(samples: ModuleType, by: Any) -> None:
    assessment = samples.sample()
    option = assessment.estimate.options["amd"]
    assert sum(share.hours for share in by(assessment, option)) == pytest.approx(option.hours.likely)


def test_an_external_copy_is_discreet(samples: ModuleType) -> None:
    assessment = samples.sample(scenario=samples.priced_scenario(), audience="external", snippets="full")
    for name in ("html", "csv", "md", "json"):
        text = render(assessment, name).decode("utf-8")
        for word in ("Negotiation", "cublasLtMatmul(handle", "EUR 2.05", "12 October", "45,000", "1.60 per"):
            assert word not in text, (name, word)
    assert "External copy" in render(assessment, "html").decode("utf-8")
    told = json.loads(render(assessment, "json"))
    assert told["scenario"]["price_offered"] is None
    assert told["scenario"]["rate"] is None
    assert told["decision"]["break_even_price"] is None


def test_an_internal_copy_has_the_annex(samples: ModuleType) -> None:
    html = render(samples.sample(scenario=samples.priced_scenario()), "html").decode("utf-8")
    assert "Negotiation annex" in html
    assert "below EUR 2.05 per GPU-hour" in html
    assert "cublasLtMatmul(handle" in html


def test_excerpts_are_left_out_on_request(samples: ModuleType) -> None:
    html = render(samples.sample(snippets="none"), "html").decode("utf-8")
    assert "cublasLtMatmul(handle" not in html
    assert "Excerpts of code are left out" in html
    assert "Negotiation annex" in html


def test_nothing_to_port_is_an_answer(samples: ModuleType) -> None:
    html = page(samples.nothing_to_port())
    assert "there is no cost to move" in html
    assert "Traceback" not in html
    assert len(sections(samples.nothing_to_port())) == len(SECTIONS)


def test_many_sites_stay_readable(samples: ModuleType) -> None:
    html = page(samples.sample(repeat=300))
    assert html.count("<tr") < 500
    assert "further sites stand in sites.csv" in html


def test_same_input_same_page(samples: ModuleType) -> None:
    assert render(samples.sample(), "html") == render(samples.sample(), "html")


def test_charts_are_described_and_have_their_table(samples: ModuleType) -> None:
    html = page(samples.sample())
    pictures = html.count("<svg ")
    assert pictures >= 6
    assert html.count('role="img"') == html.count("</desc>") == html.count('<details class="data">') == pictures


def test_text_of_charts_is_not_clipped(samples: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    from estimator.report import charts

    seen = []
    finish = charts._finish

    def measured(name: str, figure: Any, *rest: Any) -> Any:
        chart = finish(name, figure, *rest)
        box = figure.bbox
        for axes in figure.axes:
            (left, right), (low, high) = sorted(axes.get_xlim()), sorted(axes.get_ylim())
            ticks = [tick for tick in axes.xaxis.get_major_ticks() if left <= tick.get_loc() <= right]
            ticks += [tick for tick in axes.yaxis.get_major_ticks() if low <= tick.get_loc() <= high]
            for text in [*axes.texts, *(tick.label1 for tick in ticks), axes.xaxis.label, axes.yaxis.label]:
                extent = text.get_window_extent()
                if text.get_text().strip() and text.get_visible():
                    assert extent.x0 >= -1, (name, text.get_text())
                    assert extent.x1 <= box.width + 1, (name, text.get_text())
                    assert extent.y0 >= -1, (name, text.get_text())
                    assert extent.y1 <= box.height + 1, (name, text.get_text())
        seen.append(name)
        return chart

    monkeypatch.setattr(charts, "_finish", measured)
    page(samples.sample())
    page(samples.hostile())
    assert {"range", "drivers", "curve", "categories", "tornado0", "gaps"} <= set(seen)


def view_of(assessment: Assessment, name: str) -> Any:
    return next(section.view for section in sections(assessment) if section.name == name)


def test_a_tie_is_told_as_one(samples: ModuleType) -> None:
    whole = samples.sample()
    even = replace(whole, decision=replace(whole.decision, margin=0.0))
    assert view_of(even, "recommendation").runner_up == (
        "“Move to AMD” is level on points, and a tie goes to the option that moves less: NVIDIA, then AMD, then "
        "Triton first."
    )
    one = replace(whole, decision=replace(whole.decision, margin=1.0))
    assert view_of(one, "recommendation").runner_up == "Second comes “Move to AMD”, 1 point behind."


def test_criteria_without_points_speak_for_nobody(samples: ModuleType) -> None:
    whole = samples.sample()
    reasons = tuple(replace(reason, points=0.0) for reason in whole.decision.reasons[1:])
    changed = replace(whole, decision=replace(whole.decision, reasons=(whole.decision.reasons[0], *reasons)))
    assert "1 criterion speaks for it, 0 for another option" in view_of(changed, "recommendation").conclusion


@pytest.mark.parametrize("verdict", ["AMD", "TRITON_FIRST"])
def test_kernels_come_dearest_first_by_the_option_shown(samples: ModuleType, verdict: str) -> None:
    table = view_of(samples.sample(verdict=samples.Verdict[verdict]), "kernels").inventory
    column = 4 if verdict == "AMD" else 5
    hours = [float(row[column]) for row in table.rows]
    assert hours == sorted(hours, reverse=True)


def test_a_host_that_rules_triton_out_is_said_beside_the_kernels(samples: ModuleType) -> None:
    from estimator.decision.values import Reason
    from estimator.knowledge.values import PolicyLine

    whole = samples.sample()
    line = PolicyLine("host-without-python", "amd", 0.0, {}, "{figure}", "AOTriton", forbids=("triton-first",))
    reason = Reason(
        line.id, samples.Verdict.AMD, 0.0, "0 %", "Triton first is no option here: a host in C++.", "AOTriton"
    )
    policy = replace(whole.heuristics.policy, lines=(*whole.heuristics.policy.lines, line))
    changed = replace(
        whole,
        heuristics=replace(whole.heuristics, policy=policy),
        decision=replace(whole.decision, reasons=(*whole.decision.reasons, reason)),
    )
    assert "Triton first is no option here" in view_of(changed, "kernels").conclusion
    assert "Triton first is no option here" not in view_of(whole, "kernels").conclusion


def test_what_is_ready_is_counted(samples: ModuleType) -> None:
    from estimator.findings.values import Disposition

    whole = samples.sample()
    assert view_of(whole, "decision").ready == ""
    sites = tuple(
        replace(judged, disposition=Disposition.PORTED, reason="the project's AMD build compiles it")
        if judged.site.category in ("warp-size", "warp-primitive")
        else judged
        for judged in whole.found.sites
    )
    kernels = tuple(replace(judged, disposition=Disposition.PORTED) for judged in whole.found.kernels[:3])
    found = replace(whole.found, sites=sites, kernels=(*kernels, *whole.found.kernels[3:]))
    changed = replace(whole, found=found)
    assert view_of(changed, "decision").ready == "Ready for AMD already: 13 places, 3 of 8 kernels in C++."
    rows = view_of(changed, "libraries").credits.rows
    assert ("Warp of 32 assumed and warp primitives", "the project's AMD build compiles it", "13", "10") in rows


def with_classes(whole: Assessment) -> Assessment:
    """The same with rules that name the class of their findings, but for kernels, which have their own."""
    classes = {finding.rule: finding.weight for finding in whole.found.findings if finding.rule != "cuda.kernel"}
    rules = tuple(replace(rule, effort=classes.get(rule.id, "")) for rule in whole.heuristics.rules)
    return replace(whole, heuristics=replace(whole.heuristics, rules=rules))


def test_what_is_done_is_not_said_to_be_missing(samples: ModuleType) -> None:
    from estimator.findings.values import Disposition
    from estimator.knowledge.values import PARTS

    whole = with_classes(samples.sample())
    zero = samples.Spread(0, 0, 0, 0, 0, 0)
    options = {
        name: replace(one, parts=dict.fromkeys(PARTS, zero), phases=dict.fromkeys(one.phases, zero))
        for name, one in whole.estimate.options.items()
    }
    kernels = tuple(replace(judged, disposition=Disposition.PORTED) for judged in whole.found.kernels)
    sites = tuple(judged for judged in whole.found.sites if judged.site.category == "runtime-api")
    found = replace(whole.found, kernels=kernels, sites=sites, findings=())
    view = view_of(replace(whole, found=found, estimate=replace(whole.estimate, options=options)), "options")
    told = {row[0]: row[1] for row in (*view.parts.rows, *view.phases.rows)}
    assert told["Own kernels"] == "nothing left"
    assert told["Conversion by tools, and its review"] == "no work"
    assert told["Libraries"] == "nothing found"
    assert told["Runs: it builds and starts on the target"] == "nothing left"
    assert told["Fast: speed is won back"] == "nothing found"


def test_a_row_for_any_debt_goes_with_what_is_done(samples: ModuleType) -> None:
    from estimator.findings.values import Disposition
    from estimator.report.ready import work_for

    whole = with_classes(samples.sample())
    weights = whole.heuristics.weights
    setup = replace(weights["setup.ci"], charged_with=("*",))
    checks = replace(weights["validate.numerics"], charged_with=("warp.size32",))
    tuning = replace(weights["tune.constants"], charged_with=("lib.cublaslt",))
    known = {**weights, setup.id: setup, checks.id: checks, tuning.id: tuning}
    changed = replace(whole, heuristics=replace(whole.heuristics, weights=known))
    assert work_for(changed, (Disposition.PORTED,)) == {"setup", "remediation", "validation", "runs", "right"}
    assert work_for(whole, ()) == frozenset()


def test_kernels_that_are_done_are_none_left_to_port(samples: ModuleType) -> None:
    from estimator.findings.values import Disposition

    whole = samples.sample()
    done = tuple(replace(judged, disposition=Disposition.PORTED) for judged in whole.found.kernels)
    some, none = (
        view_of(replace(whole, found=replace(whole.found, kernels=kernels)), "kernels").conclusion
        for kernels in ((*done[1:], whole.found.kernels[0]), done)
    )
    assert some.startswith("8 kernels of your own in C++. ")
    assert none.startswith("8 kernels of your own in C++, none left to port. ")


def test_rules_of_sites_are_counted_whether_anything_is_left_or_not(samples: ModuleType) -> None:
    from estimator.findings.values import Disposition

    whole = samples.sample()
    sites = len(whole.found.sites)
    assert view_of(whole, "evidence").conclusion == f"{sites} sites of 11 rules were found."
    done = tuple(
        replace(judged, disposition=Disposition.PORTED) if judged.site.rule == "cuda.inline-ptx" else judged
        for judged in whole.found.sites
    )
    findings = tuple(finding for finding in whole.found.findings if finding.rule != "cuda.inline-ptx")
    changed = replace(whole, found=replace(whole.found, sites=done, findings=findings))
    assert view_of(changed, "evidence").conclusion == (
        f"{sites} sites of 11 rules were found. Work is left for 10 rules, shown one by one; the list holds all."
    )


def test_the_whole_repository_names_its_largest_parts(samples: ModuleType) -> None:
    whole = samples.sample(verdict=samples.Verdict.AMD)
    view = view_of(whole, "location")
    named = "whole repository (learning, set-up and validation)"
    assert any(row[0] == named for row in view.files.rows)
    assert any(row[0] == named for row in view.components.rows)
    assert named in view.categories.description
    option = whole.estimate.options["amd"]
    tuned = replace(next(line for line in option.lines if line.part == "retuning"), findings=())
    lines = (*(line for line in option.lines if line.part != "retuning"), tuned)
    options = {**whole.estimate.options, "amd": replace(option, lines=lines)}
    rows = view_of(replace(whole, estimate=replace(whole.estimate, options=options)), "location").files.rows
    assert "whole repository (re-tuning, learning, set-up and more)" in {row[0] for row in rows}


def test_a_counterpart_stands_once(samples: ModuleType) -> None:
    from estimator.report.sections.libraries import _counterpart

    whole = samples.sample()
    component = replace(
        whole.heuristics.components["cublaslt"], amd_native="rocThrust", hip_shim="rocThrust (thrust::)"
    )
    changed = replace(whole, heuristics=replace(whole.heuristics, components={"cublaslt": component}))
    assert _counterpart(changed, "cublaslt") == "rocThrust (thrust::)"


@pytest.mark.parametrize(
    ("symbol", "name"),
    [("flash_attn.layers", "flash-attn"), ("Flash-Attn", "flash-attn"), ("cu128", "CUDA wheel index cu128")],
)
def test_a_package_has_one_spelling(symbol: str, name: str) -> None:
    from estimator.report.sections.libraries import _package

    assert _package(symbol) == name


def test_risks_with_the_same_advice_share_it(samples: ModuleType) -> None:
    html = page(samples.sample())
    assert html.count("The reserve between P50 and P80 is used up here first") == 1
    assert html.count("have one site ported by hand") == 1


def test_one_more_kind_is_one(samples: ModuleType) -> None:
    whole = samples.sample()
    row = whole.estimate.unpriced[0]
    rows = tuple(replace(row, category=name) for name in ("managed-memory", "tooling", "container", "cuda-graph"))
    changed = replace(whole, estimate=replace(whole.estimate, unpriced=rows))
    assert "containers and 1 further kind." in " ".join(view_of(changed, "decision").unseen)


def test_percentages_have_one_style(any_assessment: Assessment) -> None:
    html = re.sub(r"(?s)<style>.*?</style>", "", page(any_assessment))
    assert not re.search(r"\d%(?!\d)|\d\.0 %", "".join(read(html).text))


def test_the_same_thing_in_one_file_is_listed_once(samples: ModuleType) -> None:
    listed = view_of(samples.sample(), "evidence").all_sites
    lines = "\n".join(listed.blocks).splitlines()
    assert any(re.search(r"csrc/\w+/simple_0\.cu:\d+, \d+ ", line) for line in lines)
    assert len(lines) < len(samples.sample().found.sites)


def test_page_one_carries_the_money(samples: ModuleType) -> None:
    assessment = samples.sample(scenario=samples.priced_scenario())
    first = page(assessment).split("</section>")[0]
    for words in ("Total over 36 months, EUR: P50 (P10 to P90)", "Saved against staying, EUR: P50 (P10 to P90)"):
        assert words in first
    view = view_of(assessment, "decision")
    amd, _, stay = view.options
    money = assessment.decision.options[0].money
    assert amd.total.startswith(figures.money(money.total_p50))
    assert amd.saved == "3,300,000 (-60,000 to 3,500,000)"
    assert amd.chance == "31 %"
    assert (stay.port, stay.saved) == ("—", "—")
    assert "upkeep of 4.4 to 7.0 person-days a year (EUR 3,700 to 5,900)" in view.beside
    assert "Total over" not in page(samples.sample()).split("</section>")[0]


@pytest.mark.parametrize("section", ["options"])
def test_means_of_money_add_up_as_printed(samples: ModuleType, section: str) -> None:
    view = view_of(samples.sample(scenario=samples.priced_scenario()), section)
    assert all("EUR" in column.title for column in view.money.columns[1:])
    for row in view.money.rows:
        port, running, upkeep, second, total = (float(cell.replace(",", "")) for cell in row[1:])
        assert port + running + upkeep + second == pytest.approx(total, abs=2)
    assert "-60,000" in view.totals.rows[0]
    assert view_of(samples.sample(), section).money is None


def test_a_verdict_without_prices_says_so(samples: ModuleType) -> None:
    view = view_of(samples.sample(), "decision")
    assert view.rests.startswith("If you leave: Triton first is the ")
    assert view.rests.endswith("; whether to leave needs prices.")
    stay = view_of(samples.sample(verdict=samples.Verdict.NVIDIA), "decision")
    assert "prices may still speak for leaving" in stay.rests
    assert view_of(samples.sample(scenario=samples.priced_scenario()), "decision").rests == ""


def test_low_confidence_only_leans(samples: ModuleType) -> None:
    whole = samples.sample()
    assert view_of(whole, "decision").verdict == "Triton first"
    low = replace(whole, decision=replace(whole.decision, confidence="low"))
    assert view_of(low, "decision").verdict == "Leans to Triton first"
    assert "**Recommendation: Leans to Triton first, pilot first.** If you leave: " in render(low, "md").decode("utf-8")


def test_a_hedge_is_explained_in_whole_words_on_page_one(samples: ModuleType) -> None:
    whole = samples.sample()
    text = next(line.text for line in load_heuristics().policy.lines if line.id == "triton-as-hedge")
    reason = replace(whole.decision.reasons[0], policy="triton-as-hedge", favours=samples.Verdict.NVIDIA, text=text)
    changed = replace(whole, decision=replace(whole.decision, reasons=(*whole.decision.reasons, reason)))
    assert view_of(changed, "decision").reasons[-1] == text


def test_a_price_has_one_meaning_in_the_annex(samples: ModuleType) -> None:
    whole = samples.sample(scenario=samples.priced_scenario())
    view = view_of(whole, "negotiation")
    assert "Moving costs less than staying while the price offered stays below EUR 2.05" in view.conclusion
    assert "Walk-away price: EUR 2.05 per GPU-hour offered. Above it, staying costs less." in view.levers
    assert not [text for text in view.levers if "1.60" in text], "the offer has one walk-away price"
    assert not any(row[0].startswith("Verdict turns") for row in view.break_even.rows)
    flip = replace(whole.decision.flip_points[1], to=samples.Verdict.AMD)
    turned = replace(whole, decision=replace(whole.decision, flip_points=(flip,)))
    assert "From 1.60 per GPU-hour on, the rule recommends “Move to AMD”" in view_of(turned, "negotiation").conclusion


def test_the_gap_says_at_which_speed(samples: ModuleType) -> None:
    assert view_of(samples.sample(), "negotiation").gap.caption.startswith(
        "Price gap that pays the port back, at equal speed"
    )
    given = samples.priced_scenario()
    own = view_of(samples.sample(scenario=replace(given, speed_factor=samples.Range(0.7, 0.9, 1.1))), "negotiation")
    assert own.gap.caption.startswith("Price gap that pays the port back, at the scenario's speed factor")
    assert "at a speed factor of 0.7 to 1.1, likely 0.9" in own.gap_terms


def test_the_exit_is_not_said_to_be_all_the_work(samples: ModuleType) -> None:
    levers = " ".join(view_of(samples.sample(), "negotiation").levers)
    assert "and no more" not in levers
    assert "of upkeep a year" in levers


def test_an_option_that_is_none_is_marked_beside_its_hours(samples: ModuleType) -> None:
    from estimator.knowledge.values import PolicyLine

    whole = samples.sample(scenario=samples.priced_scenario(), verdict=samples.Verdict.AMD)
    assert not any(row.note == "no option here" for row in view_of(whole, "decision").options)
    line = PolicyLine(
        "host-without-python", "amd", 0.0, {}, "Triton first is no option here.", "AOTriton", forbids=("triton-first",)
    )
    reason = replace(whole.decision.reasons[0], policy=line.id, points=0.0)
    policy = replace(whole.heuristics.policy, lines=(*whole.heuristics.policy.lines, line))
    changed = replace(
        whole,
        heuristics=replace(whole.heuristics, policy=policy),
        decision=replace(whole.decision, reasons=(*whole.decision.reasons, reason)),
    )
    notes = {row.name: row.note for row in view_of(changed, "decision").options}
    assert notes == {"Move to AMD": "", "Triton first": "no option here", "Stay with NVIDIA": "no port"}


def test_kernels_written_in_python_stand_beside_the_inventory(samples: ModuleType) -> None:
    from estimator.quantities import Hours

    whole = samples.sample()
    assert "written in Python" not in view_of(whole, "kernels").conclusion
    finding = replace(whole.found.findings[0], id="F999", category="python-cuda", weight="py.cute_dsl")
    options = dict(whole.estimate.options)
    for name in ("amd", "triton-first"):
        only = replace(options[name].lines[0], part="kernels", findings=("F999",), hours=Hours(40, 120, 400))
        others = tuple(line for line in options[name].lines if line.part != "kernels")
        parts = {**options[name].parts, "kernels": replace(options[name].hours, likely=120.0)}
        options[name] = replace(options[name], lines=(*others, only), parts=parts)
    changed = replace(
        whole,
        found=replace(whole.found, findings=(*whole.found.findings, finding)),
        estimate=replace(whole.estimate, options=options),
    )
    assert "Own kernels written in Python take 120.0 h besides" in view_of(changed, "kernels").conclusion
