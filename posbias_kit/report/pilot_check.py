"""Whether the prompts of a study passed a rubric pilot."""

import pandas as pd

from posbias_kit.analysis.pilot import sum_pilot
from posbias_kit.report.cards import format_of, judges_of, template_digest
from posbias_kit.report.folder import Run

_COLUMNS = ["judge", "pilot", "pilot_judge", "pairs", "passed", "failed", "said"]


def check_pilot(run, pilot):
    """Say for each judge of a study whether its prompt passed the pilot.

    A judge passed where the pilot run holds a judge with the same prompt (the digest of its
    template) and the same model; one without a prompt, such as a simulation, by its name.

    Parameters
    ----------
    run : Run
    pilot : str or None
        Name of the pilot's run; none says that there was no pilot. A run that is a pilot is held
        against itself.

    Returns
    -------
    DataFrame
        One row a judge: judge, pilot, pilot_judge, pairs, passed, failed (pairs), said.
    """
    named = judges_of(run)
    if format_of(run) == "pilot":
        pilot = run.run_name
    if pilot is None:
        rows = [(judge["name"], "", "", 0, 0, "", "its prompt was not piloted") for judge in named]
        return pd.DataFrame(rows, columns=_COLUMNS)
    other = Run(pilot)
    tried = judges_of(other)
    sums = sum_pilot(other.table("pilot")).set_index("judge")
    rows = []
    for judge in named:
        match = next((one for one in tried if _same(judge, one)), None)
        if match is None or match["name"] not in sums.index:
            said = "its prompt was not piloted: no judge of the pilot has this prompt and model"
            rows.append((judge["name"], pilot, "", 0, 0, "", said))
            continue
        told = sums.loc[[match["name"]]]
        pairs, passed = int(told["pairs"].sum()), int(told["passed"].sum())
        failed = ", ".join(filter(None, told["failed"].fillna("")))
        said = f"its prompt {'failed' if failed else 'passed'} the pilot: {passed} of {pairs} pairs"
        if not pairs:
            said = "its prompt was not tested: no pair of the pilot could be passed"
        rows.append((judge["name"], pilot, match["name"], pairs, passed, failed, said))
    return pd.DataFrame(rows, columns=_COLUMNS)


def _same(judge, other):
    if judge["kind"] != other["kind"]:
        return False
    digest = template_digest(judge)
    if digest:
        same = digest == template_digest(other)
        return same and judge.get("model") == other.get("model")
    return judge["name"] == other["name"]
