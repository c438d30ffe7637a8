"""How the figures are made: units, spread, grades, the source of every row, and the policy in full."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.decision.discreet import HIDDEN_FIELDS
from estimator.decision.values import Range
from estimator.effort.values import OptionEstimate, Reference, Scaling
from estimator.knowledge.values import Multiplier, Weight
from estimator.quantities import percent
from estimator.report import wording
from estimator.report.audience import LEFT_OUT, external
from estimator.report.blocks import Column, Table
from estimator.report.figures import exact, ported
from estimator.report.text import plain

TITLE = "Method and assumptions"
_ROWS = 90
_SCENARIO_FIELDS = {
    "gpus_now": "GPUs now",
    "gpus_planned": "GPUs planned",
    "gpu_hours_month": "GPU-hours a month",
    "gpu_hours_month_planned": "GPU-hours a month, planned",
    "price_now": "price now, per GPU-hour",
    "price_offered": "price offered, per GPU-hour",
    "speed_factor": "speed factor: low, likely, high",
    "horizon_months": "horizon in months",
    "discount_rate": "discount rate a year",
    "rate": "rate, per engineer-hour",
    "team": "team",
    "gpu_experience": "GPU experience",
    "infrastructure_people": "people for GPU infrastructure",
    "workload": "workload",
    "newest_kernels_first": "newest kernels first",
    "new_kernels_month": "new kernels a month",
    "debt_growth_quarter": "growth of the debt a quarter, h: low, likely, high",
    "second_source_value": "second supplier's value a year",
    "memory_need_gib": "memory needed on one GPU, GiB",
    "memory_now_gib": "memory of a present card, GiB",
    "memory_decides": "memory decides",
    "hardware_access": "hardware at hand",
    "own_kernel_share": "share of GPU time in own kernels",
    "strategy": "porting strategy",
    "gfx": "target gfx",
    "rocm": "target ROCm",
}


@dataclass(frozen=True, slots=True)
class View:
    """Everything a stranger needs to make the figures again."""

    conclusion: str
    steps: tuple[str, ...]
    settings: Table
    multipliers: Table | None
    grades: Table | None
    weights: Table | None
    policy: Table
    policy_settings: Table | None
    scenario: Table
    check: str


def view(assessment: Assessment) -> View:
    """Method and assumptions."""
    h = assessment.heuristics
    return View(
        conclusion="Every hour comes from a row of a published table, multiplied by what was found; the "
        "range comes from a simulation "
        f"with a fixed seed. {wording.calibration(h.calibrated)}",
        steps=(
            "Rules find sites in the parsed code. Sites are folded to findings: one for each rule and component.",
            "Each finding is priced by its weight: three figures for the first unit, a smaller share for "
            "each further one.",
            "Each row is drawn from a PERT distribution through its three figures. One factor shared by all "
            "rows (log-normal, "
            "median 1) stands for what makes the whole estimate wrong together.",
            "Multipliers that the scenario switches on are drawn apart and scale the rows of their parts; what each "
            "adds is a row of its own. Events that may or may not come are drawn apart too and stay outside every "
            "figure but those of section “Risks and unknowns”.",
            *_second_opinion(assessment),
            "The policy turns structure, effort and scenario into points for each option. Without prices the highest "
            "sum is the verdict; with both prices, GPU-hours and a rate it is the lowest expected cost.",
        ),
        settings=_settings(assessment),
        multipliers=_multipliers(assessment),
        grades=_grades(assessment),
        weights=_weights(assessment),
        policy=_policy(assessment),
        policy_settings=Table(
            "Settings of the policy",
            (Column("Setting", 24, "code"), Column("Value", 10, "number"), Column("Unit, source", 66)),
            tuple(
                (plain(name), f"{value:g}", plain(h.policy.sources.get(name, ""), 200))
                for name, value in h.policy.settings.items()
            ),
        )
        if h.policy.settings
        else None,
        scenario=_scenario(assessment),
        check="Change a weight or a line of the policy in your own overlay and run again: the report says "
        "what changed. "
        f"The tables of this run have the digest {plain(h.digest)}.",
    )


def _second_opinion(assessment: Assessment) -> Iterator[str]:
    reference = assessment.estimate.reference
    if reference is None:
        return
    yield (
        f"Beside the rows stands a reference class of {reference.ports} public ports: the logarithm of their "
        "author-days as a straight line of the logarithms of people, where they are known, and of files that call the "
        "CUDA runtime or driver (ridge regression). Where the code lies among the ports, the functional scope is a "
        "blend of both, in logarithms, each with the weight of 1 / error squared on those ports; it is a multiplier of "
        f"the rows, so that parts still add up. {_blended(reference)}"
    )
    if reference.checked is not None:
        yield (
            f"{wording.checked_briefly(assessment.estimate)} The factor is the root mean square of the logarithms. "
            "The spread of this estimate does not follow from that check: the ports are few. `unwarp backtest` "
            "shows each of them."
        )


def _blended(reference: Reference) -> str:
    if reference.blend is None:
        return f"Here nothing is blended: {plain(reference.unblended, 300)}."
    return f"Here the factor is {reference.blend.factor:.3g}; hours of single kernels are those of the rows."


def _settings(assessment: Assessment) -> Table:
    u, e = assessment.heuristics.units, assessment.estimate
    stages = ", ".join(f"{name} {value:g}" for name, value in u.sigma.items())
    rows = (
        ("Person-day", f"{exact(e.hours_per_day)} h", ""),
        ("Person-month", f"{u.days_per_month:g} person-days", ""),
        ("Engineers who learn", f"{e.engineers or u.engineers}", _team(assessment)),
        ("Stage of the estimate", plain(e.stage, 40), wording.STAGES.get(e.stage, "")),
        ("Spread of the shared factor (sigma)", f"{e.sigma:g}", plain(f"by stage: {stages}; {u.source}")),
        ("Draws", f"{u.draws:,}", f"seed {e.draws.seed}"),
        ("Hot kernels that are tuned", f"{percent(u.hot_kernel_share)}, at most {u.hot_kernels_most}", ""),
        ("Lines changed for each site", f"{u.lines_per_site:g}", ""),
    )
    return Table("Units and settings", (Column("What", 32), Column("Value", 26), Column("Source or note", 42)), rows)


def _team(assessment: Assessment) -> str:
    return "the default; the scenario names no team" if assessment.scenario.team is None else "the scenario's team"


def _multipliers(assessment: Assessment) -> Table | None:
    """All multipliers with their state, and the likely hours that each adds."""
    known = assessment.heuristics.multipliers.known.values()
    if not known:
        return None
    on = {scaling.multiplier.id: scaling for scaling in assessment.estimate.scalings}
    options = ported(assessment)
    columns = (
        Column("Multiplier", 15),
        Column("low, likely, high", 12),
        Column("Acts on", 20),
        Column("State", 15),
        *(Column(f"adds, likely h, {wording.option(option.option)}", 10, "number") for option in options),
        Column("Source", 38 - 10 * len(options)),
    )
    rows = []
    for one in known:
        scaling = on.get(one.id)
        factor = scaling.factor if scaling else one.factor
        acts_on = (*(wording.PARTS.get(part, part) for part in one.parts), *one.weights)
        rows.append(
            (
                plain(one.title, 60),
                f"{factor.low:g}, {factor.likely:g}, {factor.high:g}",
                plain(", ".join(acts_on), 240),
                f"on, by {plain(scaling.why, 120)}" if scaling else "off",
                *(exact(_added(option, one.id), 2) if scaling else "" for option in options),
                _source(one, scaling, assessment),
            )
        )
    note = (
        "Off until the scenario switches one on: what they stand for can't be seen in the code. Each multiplies what "
        "those above it left."
    )
    return Table("Multipliers on the whole programme", columns, tuple(rows), (), note)


def _source(one: Multiplier, scaling: Scaling | None, assessment: Assessment) -> str:
    """Of a figure of one's own what the scenario notes, of others the table's source with its grade."""
    if scaling and scaling.own:
        note = "" if external(assessment) else assessment.scenario.notes.get(one.id, "")
        return f"yours: {plain(note, 240)}" if note else scaling.source
    return plain(f"{one.source} ({one.grade})", 240)


def _added(option: OptionEstimate, multiplier: str) -> float:
    return sum(line.hours.likely for line in option.lines if line.multiplier == multiplier)


def _grades(assessment: Assessment) -> Table | None:
    options = ported(assessment)
    if not options:
        return None
    columns = (Column("Grade", 46), *(Column(wording.option(option.option), 27, "number") for option in options))
    rows = tuple(
        (f"{name}: {meaning}", *(percent(option.grades.get(name, 0.0)) for option in options))
        for name, meaning in wording.GRADES.items()
    )
    return Table("Share of the likely hours by grade of evidence", columns, rows)


def _weights(assessment: Assessment) -> Table | None:
    used = {line.weight for option in ported(assessment) for line in option.lines}
    known = [weight for name in sorted(used) if isinstance(weight := assessment.heuristics.weights.get(name), Weight)]
    if not known:
        return None
    columns = (
        Column("Weight", 17, "code"),
        Column("per", 11),
        Column("h, AMD: low, likely, high", 15, "number"),
        Column("h, Triton", 15, "number"),
        Column("further ones", 12, "number"),
        Column("grade", 8),
        Column("Source", 22),
    )
    rows = tuple(
        (
            plain(w.id, 40),
            plain(w.unit, 40),
            _three(w, "amd"),
            _three(w, "triton-first"),
            f"{w.repeat.to_10:g}, then {w.repeat.after:g}",
            "/".join(plain(w.grade.get(o, "?"), 3) for o in ("amd", "triton-first")),
            plain(w.source, 140),
        )
        for w in known[:_ROWS]
    )
    note = "“Further ones” is the share of the first unit's hours for units 2 to 10, then for each after."
    if len(known) > _ROWS:
        note += f" {len(known) - _ROWS} further weights stand in assessment.json."
    return Table("Weights used, hours for the first unit", columns, rows, (), note)


def _three(weight: Weight, option: str) -> str:
    hours = weight.hours.get(option)
    return f"{hours.low:.4g}, {hours.likely:.4g}, {hours.high:.4g}" if hours else "—"


def _policy(assessment: Assessment) -> Table:
    spoke = {reason.policy for reason in assessment.decision.reasons}
    columns = (
        Column("Policy", 16, "code"),
        Column("For", 11),
        Column("Points", 8, "number"),
        Column("Thresholds", 13),
        Column("Text", 25),
        Column("Source", 27),
    )
    lines = assessment.heuristics.policy.lines
    rows = tuple(
        (
            plain(line.id, 60),
            wording.option(line.favours),
            f"{line.points:g}",
            plain(", ".join(f"{name} {value:g}" for name, value in line.thresholds.items()), 120),
            plain(line.text.replace("{figure}", "…").replace("{team}", "the team"), 240),
            plain(line.source, 240),
        )
        for line in lines
    )
    strong = tuple(i for i, line in enumerate(lines) if line.id in spoke)
    date = plain(assessment.heuristics.policy.date, 20)
    return Table(f"The policy of {date} in full; lines in bold spoke in this report", columns, rows, strong)


def _scenario(assessment: Assessment) -> Table:
    s, hidden = assessment.scenario, HIDDEN_FIELDS if external(assessment) else ()
    rows = tuple(
        (words, LEFT_OUT if name in hidden else _given(getattr(s, name))) for name, words in _SCENARIO_FIELDS.items()
    )
    share = percent(assessment.decision.completeness)
    told = [f"{share} of what the policy asks for was given. What is not given takes no part in the verdict."]
    told += [plain(item.text, 240) for item in assessment.decision.assumptions]
    title = f"Scenario{': ' + plain(s.name, 80) if s.name else ''}, currency {plain(s.currency, 6)}"
    return Table(title, (Column("Input", 50), Column("Given", 50)), rows, (), " ".join(told))


def _given(value: object) -> str:
    match value:
        case None:
            return "not given"
        case Range():
            return f"{value.low:g}, {value.likely:g}, {value.high:g}"
        case bool():
            return "yes" if value else "no"
        case int() | float():
            return f"{value:,g}" if abs(value) < 1e6 else f"{value:,.0f}"
    return plain(str(value), 80)
