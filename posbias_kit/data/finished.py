"""Finished runs of the kit read together, so that they can be compared pair by pair."""

from pathlib import Path

import pandas as pd

from posbias_kit.errors import ReadError
from posbias_kit.schema import validate

_PLACE = ["benchmark", "experiment", "turn", "comparison"]


def read_runs(paths):
    """Read finished runs, each as an arm of its own, on the comparisons that all of them have.

    Parameters
    ----------
    paths : list of str or Path
        Run folders, two or more; the name of a folder becomes the arm.

    Returns
    -------
    questions, answers, verdicts : DataFrame
        Those of the shared comparisons.
    files : DataFrame
        One row a run: file, rows, kept, set_aside (verdicts on comparisons that not all runs have).

    Raises
    ------
    ReadError
        A folder holds no finished run, two bear the same name, an answer is not the same text in
        all of them, or they share no comparison.
    """
    folders = [Path(path) for path in paths]
    names = [folder.name for folder in folders]
    if len(set(names)) < len(names) or len(names) < 2:
        raise ReadError(
            f"runs {', '.join(names)}", place="data_preparation.path",
            allowed="two or more run folders of different names", cure="name each run once",
        )  # fmt: skip
    runs = [{table: _load(folder, table) for table in ("questions", "answers", "verdicts")}
            for folder in folders]  # fmt: skip
    _check_texts(runs, names)
    places = [set(run["verdicts"][_PLACE].itertuples(index=False, name=None)) for run in runs]
    shared = set.intersection(*places)
    if not shared:
        raise ReadError(
            f"runs {', '.join(names)} share no comparison", place="data_preparation.path",
            cure="compare runs of the same benchmark, candidates and plan",
        )  # fmt: skip
    parts, files = [], []
    for folder, name, run in zip(folders, names, runs, strict=True):
        verdicts = run["verdicts"]
        key = list(verdicts[_PLACE].itertuples(index=False, name=None))
        kept = verdicts[[place in shared for place in key]]
        arm = name + (": " + kept["arm"]).where(kept["arm"] != "", "")
        parts.append(kept.assign(arm=arm))
        files.append((str(folder), len(verdicts), len(kept), len(verdicts) - len(kept)))
    verdicts = validate(pd.concat(parts, ignore_index=True), "verdicts")
    about = [table[table["question"].isin(verdicts["question"])].reset_index(drop=True)
             for table in (runs[0]["questions"], runs[0]["answers"])]  # fmt: skip
    files = pd.DataFrame(files, columns=["file", "rows", "kept", "set_aside"])
    return *about, verdicts, files


def _load(folder, table):
    path = folder / f"{table}.parquet"
    if not path.is_file():
        raise ReadError(
            "no finished run", place=str(path), allowed="a folder under outputs/ that has judged",
            cure="run that study first, or name its folder",
        )  # fmt: skip
    return validate(pd.read_parquet(path), table, str(path))


def _check_texts(runs, names):
    """Refuse runs whose answers differ under the same name."""
    key = ["benchmark", "question", "candidate"]
    first = runs[0]["answers"].set_index(key)["digest"]
    for run, name in zip(runs[1:], names[1:], strict=True):
        other = run["answers"].set_index(key)["digest"]
        both = first.index.intersection(other.index)
        differ = both[(first.loc[both] != other.loc[both]).to_numpy()]
        if len(differ):
            raise ReadError(
                f"{len(differ)} answers are not the same text as in run {names[0]!r}, e.g. "
                f"{list(differ[0])}", place=name, cure="compare runs on the same answers",
            )  # fmt: skip
