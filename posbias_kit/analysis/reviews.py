"""What reviewers decided: agreement among them and with the judges, and what they settled."""

import json

import numpy as np
import pandas as pd

from posbias_kit.analysis.agreement import judge_agreement
from posbias_kit.analysis.coefficients import agreement_coefficients
from posbias_kit.analysis.labels import label_agreement, majority_labels
from posbias_kit.analysis.plurality import SAME_TEXTS
from posbias_kit.analysis.verdict_sheet import tell_winners
from posbias_kit.data import build_verdicts
from posbias_kit.review_schema import INSUFFICIENT, PLACE, REVIEWS
from posbias_kit.schema import LABELS, TIE, TIE_CHOICE

REVIEWER = "reviewer"


def latest_reviews(reviews):
    """Keep the last version of each reviewer's decision on each comparison."""
    rows = reviews.sort_values("version", kind="stable")
    return rows.drop_duplicates([*PLACE, REVIEWER], keep="last").sort_index()


def reviews_as_labels(reviews):
    """Return decisions as labels; INSUFFICIENT is none, and earlier versions do not count.

    Parameters
    ----------
    reviews : DataFrame
        The table of :data:`posbias_kit.review_schema.REVIEWS`.

    Returns
    -------
    DataFrame
        The table of :data:`posbias_kit.schema.LABELS`, labeller = reviewer.
    """
    told = _one_word_each(reviews)
    told = told[told["decision"] != INSUFFICIENT]
    return told.rename(columns={REVIEWER: "labeller", "decision": "winner"})[list(LABELS.columns)]


def _one_word_each(reviews):
    """Keep a reviewer's last word on a comparison, in whichever arms it was handed out."""
    return latest_reviews(reviews).drop_duplicates([*SAME_TEXTS, REVIEWER], keep="last")


def reviews_from_labels(labels):
    """Return labels that people gave elsewhere as decisions of reviewers.

    Parameters
    ----------
    labels : DataFrame
        The table of :data:`posbias_kit.schema.LABELS`.

    Returns
    -------
    DataFrame
        The table of :data:`posbias_kit.review_schema.REVIEWS`, without explanations.
    """
    rows = labels.rename(columns={"labeller": REVIEWER, "winner": "decision"})
    key = [*SAME_TEXTS, REVIEWER]
    about = {"experiment": "", "arm": "", "explanation": "", "file": "labels"}
    rows = rows.assign(**about, version=rows.groupby(key, observed=True).cumcount() + 1)
    return rows.assign(row=np.arange(1, len(rows) + 1))[list(REVIEWS.columns)]


def settle_reviews(reviews):
    """Say what reviewers settle: the strict plurality of their last decisions.

    Each reviewer has one vote on a comparison, and INSUFFICIENT is a vote like any other.

    Parameters
    ----------
    reviews : DataFrame
        The table of :data:`posbias_kit.review_schema.REVIEWS`.

    Returns
    -------
    DataFrame
        benchmark, turn, comparison, winner (missing without a plurality, or where it could not
        tell), votes (that named a winner), reviewers, insufficient.

    Examples
    --------
    >>> reviews = pd.DataFrame({"benchmark": "B", "experiment": "", "arm": "", "turn": "",
    ...     "comparison": ["c", "c", "d"], "question": "q", "reviewer": ["u", "v", "u"],
    ...     "version": 1, "decision": ["a", "b", "a"], "explanation": "x", "file": "f", "row": 1})
    >>> settle_reviews(reviews)[["comparison", "winner"]].fillna("").values.tolist()
    [['c', ''], ['d', 'a']]
    """
    told = _one_word_each(reviews).assign(
        insufficient=lambda frame: frame["decision"] == INSUFFICIENT
    )
    counts = told.groupby(SAME_TEXTS, observed=True).agg(
        reviewers=(REVIEWER, "nunique"), insufficient=("insufficient", "sum")
    )
    most = majority_labels(told.rename(columns={"decision": "winner"}))
    most["winner"] = most["winner"].mask(most["winner"] == INSUFFICIENT)
    table = counts.join(most.set_index(SAME_TEXTS)["winner"])
    table["votes"] = table["reviewers"] - table["insufficient"]
    return table.reset_index()[[*SAME_TEXTS, "winner", "votes", "reviewers", "insufficient"]]


def count_reviews(reviews):
    """Count what each reviewer decided.

    Returns
    -------
    DataFrame
        One row a reviewer: comparisons, answers (an answer named), ties, insufficient, revised
        (decisions that were changed later; the earlier ones are kept).
    """
    last = latest_reviews(reviews)
    kind = last["decision"].where(last["decision"].isin([TIE, INSUFFICIENT]), "answers")
    counts = pd.crosstab(last[REVIEWER], kind).reindex(
        columns=["answers", TIE, INSUFFICIENT], fill_value=0
    )
    counts.columns = ["answers", "ties", "insufficient"]
    counts.insert(0, "comparisons", counts.sum(axis=1))
    counts["revised"] = reviews.groupby(REVIEWER).size() - last.groupby(REVIEWER).size()
    return counts.rename_axis(REVIEWER).reset_index()


def reviewer_agreement(reviews, level=0.95):
    """Agreement of each pair of reviewers on the comparisons that both decided.

    Parameters
    ----------
    reviews : DataFrame
        The table of :data:`posbias_kit.review_schema.REVIEWS`.
    level : float

    Returns
    -------
    DataFrame
        As :func:`posbias_kit.analysis.judge_agreement`, each pair once, with reviewer in the place
        of judge. INSUFFICIENT is no decision.
    """
    found = judge_agreement(_as_verdicts(reviews), ties=True, level=level)
    found = found[found["judge"] < found["other"]]
    return found.rename(columns={"judge": REVIEWER}).reset_index(drop=True)


def reviewer_coefficients(reviews, level=0.95):
    """Agreement of all reviewers beyond chance, as :func:`agreement_coefficients` of judges."""
    return agreement_coefficients(_as_verdicts(reviews), ties=[True], level=level)


def reviewers_and_judges(verdicts, reviews, level=0.95):
    """How often each judge says what each reviewer says, and what most of them say.

    Parameters
    ----------
    verdicts, reviews : DataFrame
    level : float

    Returns
    -------
    DataFrame
        As :func:`posbias_kit.analysis.label_agreement`, labeller being the reviewer or the
        majority.
    """
    return label_agreement(verdicts, reviews_as_labels(reviews), level)


def compare_reviews(verdicts, reviews):
    """Put each reviewer's last word on a comparison beside those of the judges.

    Parameters
    ----------
    verdicts, reviews : DataFrame

    Returns
    -------
    DataFrame
        One row a reviewed comparison: the key, question, reviewers (each with its decision),
        settled (by strict plurality; empty without one), judges (winner and number of
        verdicts), reviewers_differ.
    """
    last = latest_reviews(reviews)
    judges = tell_winners(verdicts, PLACE)
    settled = settle_reviews(reviews).set_index(SAME_TEXTS)["winner"]
    rows = []
    for key, block in last.groupby(PLACE, observed=True):
        place = (key[0], key[3], key[4])
        rows.append(
            {
                **dict(zip(PLACE, key, strict=True)),
                "question": block["question"].iloc[0],
                "reviewers": "; ".join(
                    f"{row.reviewer}: {row.decision}" for row in block.itertuples()
                ),
                "settled": settled.get(place) if pd.notna(settled.get(place)) else "",
                "judges": judges.get(key, ""),
                "reviewers_differ": block["decision"].nunique() > 1,
            }
        )
    columns = [*PLACE, "question", "reviewers", "settled", "judges", "reviewers_differ"]
    return pd.DataFrame(rows, columns=columns)


_WORDS = {TIE: TIE_CHOICE, INSUFFICIENT: None}


def _as_verdicts(reviews):
    """Decisions as verdicts of judges that are all shown the answers in the order of their ids."""
    last = latest_reviews(reviews).reset_index(drop=True)
    shown = [tuple(json.loads(text)[1:]) for text in last["comparison"]]
    slots = [
        names.index(decision) + 1 if decision in names else _WORDS[decision]
        for decision, names in zip(last["decision"], shown, strict=True)
    ]
    choice = pd.array(slots, dtype="Int64")
    status = np.where(pd.isna(choice), "invalid", "ok")
    about = last[["benchmark", "experiment", "arm", "turn", "question"]]
    return build_verdicts(
        about.assign(
            task="", judge=last[REVIEWER], repeat=1, shown=shown, order="reviewed",
            status=status, reason=np.where(status == "ok", "", "no_label"), choice=choice,
        )
    )  # fmt: skip
