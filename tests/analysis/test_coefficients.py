"""Panel coefficients by hand, their jackknife, what makes them undefined; R: test_agreement_r."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from verdict_tables import pairs, stack

from posbias_kit.analysis import coefficients
from posbias_kit.analysis.coefficients import agreement_coefficients


def _panel(clusters=None, **codes):
    about = {"cluster": np.repeat(clusters, 2)} if clusters else {}
    return stack(*(pairs(list(row), judge=judge, **about) for judge, row in codes.items()))


def _estimates(verdicts, **options):
    return agreement_coefficients(verdicts, ties=[True], **options).set_index("coefficient")


def test_two_judges_by_hand():
    """FS FS against FS SS: po = 3/4.

    Cohen: F is 1/2 of one, 1/4 of the other: pe = 1/2. Fleiss: F is 3/8 of the pooled verdicts:
    pe = 34/64. Krippendorff draws the pooled eight without replacement: pe = 26/56.
    """
    table = _estimates(_panel(j=["FS", "FS"], k=["FS", "SS"]))
    by_hand = {
        "cohen": 1 / 2,
        "fleiss": (48 - 34) / (64 - 34),
        "krippendorff": (42 - 26) / (56 - 26),
    }

    assert table["estimate"].to_dict() == pytest.approx(by_hand)


def test_a_tie_is_a_verdict_or_missing():
    """FT against FS: half agrees with ties; without, one instance is left and never varies."""
    table = agreement_coefficients(_panel(j=["FT"], k=["FS"]))
    fleiss = table[table["coefficient"] == "fleiss"].set_index("ties")

    assert fleiss["instances"].to_dict() == {True: 2, False: 1}
    assert np.isnan(fleiss.loc[False, "estimate"])
    assert "all verdicts are the same" in fleiss.loc[False, "note"]


def test_missing_verdicts_leave_what_two_judges_said():
    """Judge l says nothing once: Fleiss drops that instance, the others keep it."""
    table = _estimates(_panel(j=["FS", "FS"], k=["FS", "SS"], l=["FS", "IS"]))

    assert table["instances"].to_dict() == {"fleiss": 3, "krippendorff": 4, "cohen": 4}


def test_interval_is_the_jackknife_over_clusters():
    """Three clusters: leave one out by hand, t with two degrees of freedom."""
    codes = {"j": ["FS", "FF", "SF", "FS", "SS"], "k": ["FS", "SF", "SF", "FF", "SF"]}
    home = ["q1", "q1", "q2", "q2", "q3"]
    row = _estimates(_panel(home, **codes)).loc["cohen"]
    left = []
    for out in ("q1", "q2", "q3"):
        keep = [place for place, name in enumerate(home) if name != out]
        part = {judge: [row[place] for place in keep] for judge, row in codes.items()}
        left.append(_estimates(_panel(**part))["estimate"]["cohen"])
    half = stats.t.ppf(0.975, 2) * np.sqrt(2 / 3 * ((left - np.mean(left)) ** 2).sum())

    assert row["clusters"] == 3
    assert [row["low"], row["high"]] == pytest.approx(
        [max(row["estimate"] - half, -1), min(row["estimate"] + half, 1)]
    )


def test_many_clusters_are_left_out_in_groups(monkeypatch):
    """The interval from eight groups of five clusters is about that from forty clusters."""
    rng = np.random.default_rng(0)
    one = ["".join(rng.choice(["F", "S"], 2)) for _ in range(40)]
    two = [code if rng.random() < 0.6 else "FS" for code in one]
    single = _estimates(_panel(j=one, k=two)).loc["fleiss"]
    monkeypatch.setattr(coefficients, "_GROUPS", 8)
    grouped = _estimates(_panel(j=one, k=two)).loc["fleiss"]

    assert grouped["estimate"] == single["estimate"]
    assert grouped["high"] - grouped["low"] == pytest.approx(
        single["high"] - single["low"], rel=0.6
    )


def test_interval_covers_the_truth():
    """Judges that name the better answer with chance .8: kappa is .36 in expectation.

    Each of two judges is right with chance .8, and both slots hold the better answer equally
    often: po = .68, pe = .5. Of 100 studies of 20 questions x 6 verdicts, 88 or more cover (the
    chance of fewer, were coverage 95%, is .004).
    """
    rng = np.random.default_rng(1)
    better = rng.integers(1, 3, size=(100, 120))
    codes = np.repeat(np.arange(20), 6)
    covered = 0
    for truth in better:
        choices = np.where(rng.random((120, 2)) < 0.8, truth[:, None], 3 - truth[:, None])
        found = coefficients._jackknife(coefficients.cohen, choices.astype(float), codes, 0.95)
        covered += found["low"] <= 0.36 <= found["high"]

    assert 88 <= covered <= 100


@pytest.mark.parametrize(
    ("codes", "note"),
    [
        ({"j": ["FS", "FF"]}, "one judge"),
        ({"j": ["FI", "II"], "k": ["IF", "II"]}, "no instance"),
        ({"j": ["FF", "FF"], "k": ["FF", "FF"]}, "chance agreement is complete"),
    ],
)
def test_undefined_is_missing_with_a_reason(codes, note):
    """Nothing to compare is missing, in words, and never 0 or 1."""
    table = _estimates(_panel(**codes))

    assert table[["estimate", "low", "high"]].isna().all(axis=None)
    assert table["note"].str.contains(note).all()


def test_one_cluster_has_no_interval():
    """Both orders of one question say nothing about other questions."""
    table = _estimates(_panel(j=["FS"], k=["FF"]))

    assert table["estimate"].notna().all()
    assert table["low"].isna().all()
    assert (table["note"] == "one cluster: no interval").all()


def test_no_verdict_gives_an_empty_table_with_its_columns():
    """Nothing was asked: no row, the same columns."""
    table = agreement_coefficients(pairs(["FS"]).head(0))

    assert isinstance(table, pd.DataFrame)
    assert table.empty
    assert {"ties", "coefficient", "estimate", "low", "high", "note"} <= {*table}
