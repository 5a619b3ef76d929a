"""The recorded judge: replays verdicts that were given before."""

from pathlib import Path

import pandas as pd

from posbias_kit.errors import ReadError
from posbias_kit.schema import PRESENTATION_KEY, VERDICT_KEY, VERDICTS, validate
from posbias_kit.study_arms import PLAIN

_RECORDINGS = Path(__file__).parents[1] / "data" / "recordings"
RECORDINGS = {path.stem: path for path in sorted(_RECORDINGS.glob("*.parquet"))}
"""Recordings that come with the kit, by name; docs/local.md says how they were made."""


def recording_file(path):
    """Return the file of a recording: one of :data:`RECORDINGS` by name, else the path itself.

    Examples
    --------
    >>> recording_file("outputs/mine/verdicts.parquet").name
    'verdicts.parquet'
    """
    return RECORDINGS.get(str(path)) or Path(path)


_TEXTS = ["format", "options", "raw"]
"""Columns of a recording that holds the replies, as in the table of replies."""


class RecordedJudge:
    """A judge that replays its verdicts from a verdict table.

    Parameters
    ----------
    params : posbias_kit.judge_kinds.RecordedParams
        Name of the judge in the table, and the table's path (Parquet).
    arm : posbias_kit.study_arms.Arm
        Which arm of the recording to replay.

    Raises
    ------
    ReadError
        The file is missing, or holds no verdict of this judge.
    """

    def __init__(self, params, arm=PLAIN):
        self.name, self.partial, self.arm = params.name, params.partial, arm
        path = recording_file(params.path)
        if not path.is_file():
            raise ReadError(
                "no such recorded verdict table",
                place=str(path),
                cure=f"check `path` of judge {self.name!r}",
            )
        table = pd.read_parquet(path)
        extra = table.columns.difference(list(VERDICTS.columns))  # raw replies and their like
        recorded = validate(table.drop(columns=extra), "verdicts", str(path))
        known = sorted(recorded["judge"].unique())
        if self.name not in known:
            raise ReadError(
                f"no verdict of judge {self.name!r}",
                place=str(path),
                allowed=", ".join(known),
                cure="name a judge of this table",
            )
        self.recorded = recorded[recorded["judge"] == self.name]
        self.holds_arm = bool((self.recorded["arm"] == arm.name).any())
        texts = table[[name for name in _TEXTS if name in table]]
        self._texts = texts.assign(file=path.name, line=range(1, len(table) + 1))

    def judge(self, presentations, answers):
        """Replay each presentation as often as its `repeats` says.

        Parameters
        ----------
        presentations : DataFrame
            Table of :data:`posbias_kit.schema.PRESENTATIONS`.
        answers : DataFrame
            Not used; every judge takes it.

        Returns
        -------
        DataFrame
            As :meth:`posbias_kit.judging.planted.PlantedJudge.judge`.

        Raises
        ------
        ReadError
            A presentation or repeat of the plan is not in the recording, or none is where the
            judge may be `partial`.
        """
        plan = presentations[PRESENTATION_KEY].reset_index(drop=True)
        plan = plan.assign(row=plan.index).loc[plan.index.repeat(presentations["repeats"])]
        plan["repeat"] = plan.groupby("row").cumcount() + 1
        key = [*PRESENTATION_KEY, "repeat"]
        told = self.recorded[[*key, "status", "reason", "choice", "margin"]]
        calls = plan.astype({"repeat": "Int64"}).merge(told, on=key, how="left", validate="1:1")
        unknown = calls["status"].isna()
        if unknown.any() and (not self.partial or unknown.all()):
            missing = calls[unknown]
            first = missing.iloc[0]
            raise ReadError(
                f"{len(missing)} planned calls were not recorded, e.g. {first['comparison']} "
                f"in order {first['order']}, repeat {first['repeat']}",
                place=f"judge {self.name!r}",
                cure="plan the questions, candidates and repeats that were recorded, or set "
                "`partial: true` to leave the others out",
            )
        calls = calls[~unknown]
        return calls[["row", "repeat", "status", "reason", "choice", "margin"]]

    def replies(self, presentations):
        """Return the recorded texts of these presentations.

        Parameters
        ----------
        presentations : DataFrame
            Table of :data:`posbias_kit.schema.PRESENTATIONS`.

        Returns
        -------
        DataFrame
            Columns of :data:`posbias_kit.schema.REPLIES`; empty where none were recorded.
        """
        if not set(_TEXTS) <= set(self._texts):
            return pd.DataFrame(columns=[*VERDICT_KEY, *_TEXTS, "file", "line"])
        told = self.recorded[VERDICT_KEY].join(self._texts)
        told = told[told["raw"].notna()]
        plan = presentations[[*PRESENTATION_KEY, "repeats"]]
        told = told.merge(plan, on=PRESENTATION_KEY, validate="m:1")
        return told[told["repeat"] <= told["repeats"]].drop(columns="repeats")
