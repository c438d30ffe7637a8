"""`unwarp schema`: the JSON Schema of assessment.json, for those who read it by machine."""

from __future__ import annotations

import click


@click.command(short_help="Print the JSON Schema of assessment.json.")
def schema() -> None:
    """Print the JSON Schema (2020-12) of assessment.json and of `unwarp scan --format json`."""
    import json

    from estimator.assessment import schema as assessment_schema

    click.echo(json.dumps(assessment_schema(), indent=2, ensure_ascii=False))
