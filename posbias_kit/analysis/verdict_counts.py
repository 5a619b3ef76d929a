"""What was asked of each judge, and what came back."""

import numpy as np
import pandas as pd

from posbias_kit.analysis._codes import number_groups
from posbias_kit.analysis.series import group_verdicts
from posbias_kit.schema import TIE_CHOICE, Status


def verdict_counts(verdicts, by=("judge", "order")):
    """Count what was asked and what came back.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    by : sequence of str
        Grouping columns after benchmark and experiment.

    Returns
    -------
    DataFrame
        One row a group: asked (ok + invalid + failed), slot_1 .. slot_p, tie, invalid, failed,
        identical, first_share (slot 1 among verdicts for a slot; 1/p is what a judge without a
        lean gives over balanced orders).
    """
    keys = group_verdicts(verdicts, [name for name in by if name != "order"], keys=False)
    keys += [name for name in by if name == "order"]
    return share_counts(count_verdicts(verdicts, keys))


def count_verdicts(verdicts, keys):
    """Count verdicts by group; the counts of a table are those of its parts added up.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    keys : list of str
        Grouping columns.

    Returns
    -------
    DataFrame
        Indexed by keys: the counts of :func:`verdict_counts`.
    """
    code, head = number_groups(verdicts, keys)
    status = verdicts["status"]
    choice = verdicts["choice"].to_numpy(dtype=np.int16, na_value=-1)
    slots = range(1, int(verdicts["slots"].max() if len(verdicts) else 2) + 1)
    flags = {"asked": (status != Status.IDENTICAL).to_numpy()}
    flags |= {f"slot_{slot}": choice == slot for slot in slots} | {"tie": choice == TIE_CHOICE}
    flags |= {str(name): (status == name).to_numpy() for name in Status if name != Status.OK}
    counts = {name: np.bincount(code[flag], minlength=len(head)) for name, flag in flags.items()}
    index = pd.MultiIndex.from_frame(verdicts[keys].iloc[head])
    return pd.DataFrame(counts, index=index).sort_index()


def share_counts(counts):
    """Add the first slot's share to the counts of :func:`count_verdicts`; return a table."""
    decided = counts.filter(regex=r"^slot_\d").sum(axis=1)
    share = (counts["slot_1"] / decided).where(decided > 0)
    return counts.assign(first_share=share).reset_index()
