"""The outcome of the decision rule as text for a page."""

from IPython.display import Markdown

from posbias_kit.data.pilot_pairs import PILOT
from posbias_kit.report.files import read_table


def tell_decision(decision, labels):
    """Say in plain words what was decided, or why it was not.

    Parameters
    ----------
    decision : DataFrame
        The table `decision` of :func:`posbias_kit.analysis.decide`.
    labels : DataFrame
        The table of labels, which tells a pilot: that one tries a prompt, and decides nothing
        between its candidates.

    Returns
    -------
    Markdown
    """
    if (labels["labeller"] == PILOT).any():
        return Markdown("A pilot tries the prompt; it decides nothing between its candidates.")
    return Markdown("\n\n".join(_tell(row, decision) for row in decision.to_dict("records")))


def _tell(row, decision):
    places = [name for name in ("experiment", "arm", "slots") if name in decision]
    where = [str(row[name]) for name in ("benchmark", *places) if row[name] not in ("", None)]
    head = f"**{row['outcome'].capitalize()}"
    head += f": {_code(row['winner'])} wins.**" if row["outcome"] == "decided" else ".**"
    left = f"{row['unresolved']} unresolved, {row['excluded']} excluded"
    could = "could" if row["could_reverse"] else "could not"
    counts = (f"Of {row['pairs']} pairs (a comparison by one judge) {row['resolved']} are "
              f"resolved, {left}, {row['identical']} identical; the open ones {could} reverse the "
              "lead in the worst case.")  # fmt: skip
    if not row["unresolved"] + row["excluded"]:
        counts = f"All {row['resolved']} pairs are resolved."
    why = f"Why: {row['why']}."
    rule = f"The rule: {escape_markdown(row['rule'])}."
    return f"{_code(', '.join(where))}: {head} {escape_markdown(why)} {counts}\n\n{rule}"


def _code(text):
    """Names come from data: shown as code, they are no Markdown."""
    return "`" + str(text).replace("`", "'") + "`"


def escape_markdown(text):
    """Escape what Markdown or HTML would read in a text that holds names."""
    for sign in "\\`*_{}[]<>#|":
        text = text.replace(sign, f"\\{sign}")
    return text


def tell_outcomes(folder):
    """Say what the run was made to settle: its pilot's outcome, else its decision.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    list of str
        Sentences; a pilot decides nothing between its candidates.
    """
    check, pilot, decision = (
        read_table(folder, name) for name in ("pilot_check", "pilot", "decision")
    )
    said = []
    if check is not None:
        told = check[check["pilot"] != ""]
        said = [f"{row['judge']}: {row['said']}." for _, row in told.iterrows()]
    if decision is None or (pilot is not None and len(pilot)):
        return said
    several = len(decision) > 1
    return said + [
        f"{row['benchmark']}: " * several + f"{row['outcome'].capitalize()}: {row['why']}."
        for _, row in decision.iterrows()
    ]
