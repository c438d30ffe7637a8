"""How well does `scopes.edits` rank the work by hand that finished ports took?

    python benchmarks/truth.py HECBENCH_SRC [PREDICTIONS.csv]

HECBENCH_SRC: the folder `src` of the public HeCBench repository, which holds NAME-cuda folders. Each benchmark of
truth/hecbench_open.csv is scanned and priced; truth/evaluate.py then compares with the edits that a person made
after automatic conversion, and with simple baselines. Only names and figures of HeCBench stand in this repository.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from estimator.effort import estimate
from estimator.errors import EstimatorError
from estimator.findings import gather
from estimator.knowledge import load_heuristics
from estimator.knowledge.values import Heuristics
from estimator.scan import scan
from estimator.sources import open_source

TRUTH = Path(__file__).with_name("truth") / "hecbench_open.csv"


def edits(folder: Path, heuristics: Heuristics) -> float:
    """Likely hours by hand for the target amd; 0 where nothing readable is there."""
    try:
        tree = open_source(folder)
    except EstimatorError:
        return 0.0
    found = gather(scan(tree, heuristics), {}, heuristics)
    priced = estimate(found, heuristics.weights, heuristics.units, heuristics.performance, seed=1)
    return priced.options["amd"].edits


def main() -> None:
    source = Path(sys.argv[1])
    heuristics = load_heuristics()
    heuristics = replace(heuristics, units=replace(heuristics.units, draws=10))  # ranges are not asked for here
    names = [row["benchmark"] for row in csv.DictReader(TRUTH.open(encoding="utf-8"))]
    present = [name for name in names if (source / f"{name}-cuda").is_dir()]
    print(f"{len(present)} of {len(names)} benchmarks are in {source}")
    with tempfile.TemporaryDirectory() as folder:
        predictions = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(folder) / "predictions.csv"
        with predictions.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("benchmark", "score"))
            writer.writerows((name, edits(source / f"{name}-cuda", heuristics)) for name in present)
        evaluate = TRUTH.with_name("evaluate.py")
        subprocess.run([sys.executable, str(evaluate), str(TRUTH), str(predictions)], check=True)


if __name__ == "__main__":
    main()
