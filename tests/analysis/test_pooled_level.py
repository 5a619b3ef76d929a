"""The tests of the pooled logit: how often they reject without an effect, and over many terms."""

import numpy as np
import pandas as pd
import pytest
from flip_studies import flip_study
from scipy import stats
from statsmodels.stats.multitest import multipletests

from benchmarks.levels_pooled import feature_tests
from posbias_kit.analysis.pooled import pooled_order
from posbias_kit.analysis.slot_effects import slot_effects


def test_level_of_a_feature_without_effect():
    """24 questions, features of uneven size: CR2 holds 5 %, the plain sandwich doubles it.

    Of 400 studies at most 33 may reject: more has a chance below .001 if the level is .05.
    """
    ours, plain = feature_tests(np.random.default_rng(24), 400, 24)

    most = stats.binom.ppf(0.999, len(ours), 0.05)
    assert (ours <= 0.05).sum() <= most
    assert (plain <= 0.05).sum() > most


@pytest.fixture
def terms():
    """Return the pooled terms of two judges with two features, one of which they like."""
    verdicts, scores = flip_study(np.random.default_rng(1), 24, 4, 0.3, 1.0, studies=2)
    answers = scores[["benchmark", "question", "candidate"]].drop_duplicates()
    values = np.random.default_rng(2).standard_normal((len(answers), 2))
    return pooled_order(verdicts, features=answers.assign(x=values[:, 0], y=values[:, 1]))


def test_holm_over_judges_and_features(terms):
    """Four tests of features are one family, the two order effects another."""
    for kind, count in (("feature", 4), ("order", 2)):
        rows = terms[terms["kind"] == kind]
        assert len(rows) == count
        expected = multipletests(rows["p"], method="holm")[1]
        assert rows["p_holm"].tolist() == pytest.approx(expected.tolist())


def test_each_term_has_its_own_df(terms):
    """Satterthwaite: at most clusters - 1; intervals and p follow from them."""
    assert (terms["df"] <= 23 + 1e-9).all()
    assert terms.loc[terms["kind"] == "feature", "df"].nunique() == 4
    half = stats.t.ppf(0.975, terms["df"]) * terms["se"]
    assert (terms["high"] - terms["estimate"]).tolist() == pytest.approx(half.tolist())
    p = 2 * stats.t.sf((terms["estimate"] / terms["se"]).abs(), terms["df"])
    assert terms["p"].tolist() == pytest.approx(p.tolist())


def test_the_two_slots_of_a_pair_are_one_test():
    """Holm over two judges multiplies the smaller p by 2, not by 4; both slots show it."""
    verdicts, _ = flip_study(np.random.default_rng(3), 24, 2, 0.3, studies=2)
    table = slot_effects(verdicts)

    assert table["p_holm"].min() == pytest.approx(2 * table["p"].min())
    by_slot = [part["p_holm"].tolist() for _, part in table.groupby("slot")]
    assert by_slot[0] == by_slot[1]
    assert "p_bh" in slot_effects(verdicts, by=["judge", "task"])
    assert "p_holm" in slot_effects(verdicts[:0])
    assert isinstance(pooled_order(verdicts[:0]), pd.DataFrame)
