"""Judges against gold labels and human votes, counted by hand."""

import pandas as pd
import pytest

from posbias_kit.analysis import label_accuracy, label_agreement, majority_labels
from posbias_kit.data import build_verdicts


def _verdicts(rows):
    """Each row: (judge, question, shown as two letters, choice or None)."""
    table = pd.DataFrame(rows, columns=["judge", "question", "shown", "choice"])
    table["status"] = table["choice"].notna().map({True: "ok", False: "invalid"})
    table["choice"] = table["choice"].astype("Int64")
    return build_verdicts(
        table.assign(benchmark="B", task="t", repeat=1, shown=table["shown"].map(tuple))
    )


def _labels(rows):
    """Each row: (question, labeller, winner); every comparison is of x and y."""
    return pd.DataFrame(
        [
            {"benchmark": "B", "turn": "", "comparison": f'["{question}","x","y"]',
             "question": question, "labeller": labeller, "winner": winner}
            for question, labeller, winner in rows
        ]
    )  # fmt: skip


VERDICTS = _verdicts(
    [
        ("j", "1", "xy", 1), ("j", "1", "yx", 2),  # x twice
        ("j", "2", "xy", 1), ("j", "2", "yx", 1),  # the first slot twice
        ("j", "3", "xy", 0), ("j", "3", "yx", 1),  # a tie, then y
        ("j", "4", "xy", None), ("j", "4", "yx", 1),  # nothing, then y
    ]
)  # fmt: skip
GOLD = _labels([("1", "gold", "x"), ("2", "gold", "x"), ("3", "gold", "y"), ("4", "gold", "y")])


def test_accuracy_by_the_slot_of_the_right_answer():
    """Right first: q1 xy, q2 xy, q3 yx, q4 yx, all right. Last: q1 yx right, q2 and q3 not."""
    table = label_accuracy(VERDICTS, GOLD).set_index("right_answer")

    assert table.loc["slot 1", ["verdicts", "right", "ties"]].tolist() == [4, 4, 0]
    assert table.loc["slot 2", ["verdicts", "right", "ties"]].tolist() == [3, 1, 1]
    assert table.loc["anywhere", ["verdicts", "right", "ties"]].tolist() == [7, 5, 1]
    assert table.loc["anywhere", "accuracy"] == pytest.approx(5 / 7)
    # Whole series: q1 right in both orders, q2 and q3 not, q4 is incomplete.
    assert table.loc["every order", ["verdicts", "right"]].tolist() == [3, 1]
    assert (table["accuracy_low"] < table["accuracy"]).all()


def test_agreement_and_kappa_with_a_labeller():
    """Slots said: 1 2 | 1 1 | 0 1 | - 1; slots of the labels: 1 2 | 1 2 | 2 1 | - 1.

    Five of seven agree. Shares said 5/7 first, 1/7 second, 1/7 tie; labelled 4/7 and 3/7; chance
    is 20/49 + 3/49 = 23/49, so kappa = (35 - 23) / (49 - 23) = 12/26.
    """
    row = label_agreement(VERDICTS, GOLD).iloc[0]

    assert row["labeller"] == "gold"
    assert row["instances"] == 7
    assert row["agreement"] == pytest.approx(5 / 7)
    assert row["kappa"] == pytest.approx(12 / 26)


def test_majority_is_strict():
    """Two against one is a majority, one against one is none."""
    votes = _labels(
        [("1", "u", "x"), ("1", "v", "x"), ("1", "w", "TIE"), ("2", "u", "x"), ("2", "v", "y")]
    )
    table = majority_labels(votes)

    assert table["winner"].tolist()[0] == "x"
    assert table["winner"].isna().tolist() == [False, True]
    assert table["votes"].tolist() == [3, 2]
    found = label_agreement(VERDICTS, votes).set_index("labeller")
    assert found.loc["majority", "instances"] == 2  # the split comparison has no majority
    assert found.loc["u", "instances"] == 4


def test_ties_among_labels_are_no_right_answer():
    table = label_accuracy(VERDICTS, _labels([("1", "gold", "TIE"), ("2", "gold", "x")]))

    assert table.set_index("right_answer").loc["anywhere", "verdicts"] == 2


def test_arms_are_kept_apart():
    """A judge under two prompts has two accuracies."""
    arms = pd.concat([VERDICTS.assign(arm="p"), VERDICTS.head(2).assign(arm="q")])
    table = label_accuracy(arms, GOLD).set_index(["right_answer", "arm"])

    assert table.loc[("anywhere", "p"), ["verdicts", "right"]].tolist() == [7, 5]
    assert table.loc[("anywhere", "q"), ["verdicts", "right"]].tolist() == [2, 2]
    assert label_agreement(arms, GOLD).set_index("arm")["instances"].to_dict() == {"p": 7, "q": 2}


def test_without_labels_the_tables_are_empty():
    nothing = GOLD.head(0)

    assert label_accuracy(VERDICTS, nothing).empty
    assert label_agreement(VERDICTS, nothing).empty
    assert "accuracy" in label_accuracy(VERDICTS, nothing)
