"""The four questions that a reader comes with, answered from a run's tables in plain words."""

from functools import cache

import pandas as pd

from posbias_kit.report.arms import front_rows, tell_arms
from posbias_kit.report.files import read_table

_BLOCK = ["benchmark", "experiment", "arm", "slots"]


def answer_questions(folder, study):
    """Answer what the first page of a run leads with.

    Parameters
    ----------
    folder : Path
        The run's folder; what its tables do not hold is said to be missing.
    study : dict
        Its params: level, rs_threshold, convention of the summary, judges.

    Returns
    -------
    list of (str, list of str)
        Question and sentences, four of them: which judge is most consistent, which way it leans,
        whether that is noise, and what was not tested; where there are arms, these are about the
        plain one, and a fifth says which other way of asking makes a difference.
    """
    found = _Tables(folder, study)
    if found.summary is None:
        return []
    arms = [("Does it depend on how it is asked?", _arms(found))] if found.arms else []
    return [
        ("Which judge is most consistent?", found.by_block(_most_consistent)),
        ("Which way does it lean?", found.by_block(_leans)),
        ("Is that noise?", found.by_block(_noise)),
        *arms,
        ("What was not tested?", _not_tested(found)),
    ]


class _Tables:
    """The tables of one run, each with the rows of one block at a time."""

    def __init__(self, folder, study):
        self.folder, self.study = folder, study
        whole = self.read("summary")
        self.summary = whole if whole is None else front_rows(whole)
        self.arms = whole is not None and "arm" in whole and self.summary["arm"].nunique() == 1
        self.keys = [key for key in _BLOCK if self.summary is not None and key in self.summary]

    @cache  # noqa: B019  one run's tables, gone with the page
    def read(self, name):
        return read_table(self.folder, name)

    def by_block(self, answer):
        """Answer for each benchmark, experiment and so on; name it where there are several."""
        blocks = self.summary[self.keys].drop_duplicates()
        said = []
        for block in blocks.to_dict("records"):
            names = [str(v) for k, v in block.items() if blocks[k].nunique() > 1 and v != ""]
            start = f"{', '.join(names) or 'plain'}: " if len(blocks) > 1 else ""
            said += [start + text for text in answer(self, block)]
        return said

    def rows(self, name, block, **values):
        """Return a table's rows of a block; none where it is not there."""
        table = self.summary if name == "summary" else self.read(name)
        if table is None:
            return pd.DataFrame()
        for key, value in (block | values).items():
            if key in table:
                table = table[table[key] == value]
        return table


def _most_consistent(found, block):
    convention = found.study["summary"]["convention"]
    bias = found.rows("position_bias_by_judge", block, convention=convention)
    bias = bias.dropna(subset="pc").sort_values("pc", ascending=False) if len(bias) else bias
    if bias.empty:
        return ["It cannot be told: no comparison has a verdict in every order."]
    best, last = bias.iloc[0], bias.iloc[-1]
    said = [f"{best['judge']} keeps its verdict in {_share(best, 'pc')} of its comparisons."]
    if len(bias) > 1:
        said[0] = f"{said[0][:-1]}, {last['judge']} in {_share(last, 'pc')}."
        said += _not_told_apart(found, block, best["judge"])
    if 2 * bias["pc_n"].min() < bias["pc_n"].max():
        said.append("Not all judged the same comparisons: chapter 03 compares those that two did.")
    return said


def _not_told_apart(found, block, best):
    pairs = found.rows("judge_differences", block, metric="pc")
    if pairs.empty:
        return []
    near = pairs[~(pairs["p_holm"] <= 1 - found.study["level"])]  # untested is not told apart
    near = [*near.loc[near["judge"] == best, "other"], *near.loc[near["other"] == best, "judge"]]
    if near:
        return [f"Not told apart from {best} where both judged, Holm-corrected: {_list(near)}."]
    compared = ((pairs["judge"] == best) | (pairs["other"] == best)).any()
    return [f"{best} differs from each other judge, Holm-corrected."] if compared else []


def _leans(found, block):
    summary = found.rows("summary", block)
    lean = summary["finding"].str.split(r" \(unstable|; stability", regex=True).str[0]
    groups = summary.groupby(lean, sort=False)["judge"].agg(list)
    said = [f"{text[0].upper()}{text[1:]}: {_list(judges)}." for text, judges in groups.items()]
    unswapped = summary.loc[lean.str.startswith("no lean estimable"), "judge"]
    return said + _first_shares(found, block, unswapped) + _by_task(found, block)


def _by_task(found, block):
    """Name the tasks that lean another way than the judge does on the whole."""
    told = found.rows("task_directions", block)
    told = told[told["opposite"].astype(bool)] if len(told) else told
    start = "opposite directions: "
    return [
        f"{row['judge']} by task: {row['said'].removeprefix(start)}." for _, row in told.iterrows()
    ]


def _first_shares(found, block, judges):
    """Say how often the first slot was named where no swap tells whether that is the answers."""
    wins = found.rows("slot_wins", block, slot=1)
    wins = wins[wins["judge"].isin(judges)].dropna(subset="share") if len(wins) else wins
    shares = [f"{row['judge']} in {_share(row, 'share')}" for _, row in wins.iterrows()]
    what = "of the verdicts for a slot; without a swap this may be the answers"
    return [f"The first slot was named by {_list(shares)} {what}."] if shares else []


def _noise(found, block):
    split = found.rows("inconsistency_split", block)
    split = split.dropna(subset="p_holm") if len(split) else split
    if split.empty:
        return ["It cannot be told: no comparison was judged twice in every order."]
    beyond = split["p_holm"] <= 1 - found.study["level"]
    shares = [
        f"{row['judge']} ({100 * row['share']:.0f}%)" if pd.notna(row["share"]) else row["judge"]
        for _, row in split[beyond].iterrows()
    ]
    said = []
    if shares:
        said.append(f"Not noise alone; so much of the changes is position: {_list(shares)}.")
        said += _both_ways(found, block, split.loc[beyond, "judge"])
    rest = split.loc[~beyond, "judge"]
    leaning = rest.isin(_leaning(found, block))
    if not leaning.all():
        said.append(f"No more than noise shown: {_list(rest[~leaning])}.")
    if leaning.any():
        said.append(
            "More change across orders than between repeats is not shown, and yet the lean is: "
            f"{_list(rest[leaning])}."
        )
    return said + _unstable(found, block)


def _leaning(found, block):
    """Return the judges whose lean both its interval and its test show."""
    summary = found.rows("summary", block)
    finding = summary["finding"]
    return summary.loc[finding.str.startswith("leans") & ~finding.str.contains("Holm"), "judge"]


def _both_ways(found, block, judges):
    """Say whose verdicts change with the order, and not towards one slot."""
    summary = found.rows("summary", block)
    fair = summary["judge"].isin(judges) & summary["finding"].str.startswith("no lean shown")
    names = summary.loc[fair, "judge"]
    return [f"Changes towards both slots alike: {_list(names)}."] if len(names) else []


def _unstable(found, block):
    summary = found.rows("summary", block)
    names = summary.loc[summary["finding"].str.contains(r"\(unstable"), "judge"]
    limit = f"{found.study['rs_threshold']:g}".lstrip("0")
    return [f"Unstable, repeats agree below {limit}: {_list(names)}."] if len(names) else []


def _not_tested(found):
    tasks = found.read("benchmark_by_task")
    said = []
    if tasks is not None:
        for name, block in tasks.groupby("benchmark"):
            said.append(
                f"Beyond {name}: {block['questions'].sum()} questions of {len(block)} "
                f"{'task' if len(block) == 1 else 'tasks'}; other questions, answers, prompts "
                "and versions of these judges."
            )
    direction = found.read("direction_by_judge")
    mde = direction["mde"].dropna() if direction is not None and "mde" in direction else ()
    if len(mde):
        low, high = (f"{value:.2f}".lstrip("0") for value in (mde.min(), mde.max()))
        size = low if low == high else f"{low} to {high}, by judge,"
        said.append(f"Leans too small to be seen: a fairness within {size} would mostly be missed.")
    judging = found.study["judging"] or {"judges": []}
    planted = [judge["name"] for judge in judging["judges"] if judge["kind"] == "planted"]
    if planted:
        said.append(f"Simulations, no language models: {_list(planted)}.")
    return said


def _arms(found):
    """Say whether the way of asking matters, and which arm the page is about."""
    plain = found.summary["arm"].iloc[0]

    def tell(found, block):
        rows = found.rows("arm_differences", {k: v for k, v in block.items() if k != "arm"})
        return tell_arms(rows, plain, found.study["level"])

    about = f"arm {plain}" if plain else "the plain arm"
    where = f"All else on this page is about {about}; chapter 06 compares the others with it."
    return [*found.by_block(tell), where]


def _share(row, name):
    value, low, high = (100 * row[name + end] for end in ("", "_low", "_high"))
    interval = f" [{low:.0f} to {high:.0f}%]" if pd.notna(low) else ""
    return f"{value:.0f}%{interval}"


def _list(names):
    return ", ".join(map(str, names))
