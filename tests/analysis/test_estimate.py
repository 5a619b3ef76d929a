"""One number by several methods: the tables' own, and what the object says of itself."""

import dataclasses

import numpy as np
import pytest
from verdict_tables import pairs, sets, stack

from posbias_kit.analysis import estimate_metric, position_bias
from posbias_kit.errors import ParamsError

VERDICTS = pairs(["FS"] * 12 + ["FF"] * 5 + ["SS"] * 2 + ["FT", "TT", "FX"])


@pytest.mark.parametrize("metric", ["pc", "pf"])
@pytest.mark.parametrize("convention", ["paper", "tie", "decisive", "half"])
def test_headline_and_bootstrap_are_the_tables(metric, convention):
    """The same limits as position_bias gives for the same seed."""
    row = position_bias(VERDICTS, convention=convention, seed=3).iloc[0]
    head = estimate_metric(VERDICTS, metric, convention=convention, seed=3)
    boot = estimate_metric(VERDICTS, metric, "bootstrap", convention, seed=3)

    told = [row[metric], row[f"{metric}_low"], row[f"{metric}_high"]]
    assert [head.estimate, head.low, head.high] == pytest.approx(told, nan_ok=True)
    drawn = [row[f"{metric}_boot_low"], row[f"{metric}_boot_high"]]
    assert [boot.low, boot.high] == pytest.approx(drawn, nan_ok=True)


def test_says_how_it_was_made():
    """Degrees of freedom without draws, draws and seed without degrees of freedom."""
    cr2 = estimate_metric(VERDICTS, "pf", "cr2", level=0.9)
    bca = estimate_metric(VERDICTS, "pf", "bca", draws=500, seed=7)

    assert (cr2.method, cr2.level, cr2.draws, cr2.seed) == ("cr2", 0.9, None, None)
    assert (bca.method, bca.df, bca.draws, bca.seed) == ("bca", None, 500, 7)
    assert cr2.clusters == bca.clusters == 21
    assert cr2.df == pytest.approx(20)
    assert bca.low < bca.estimate < bca.high


def test_is_frozen():
    """A result cannot be changed by accident."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        estimate_metric(VERDICTS).low = 0


def test_undefined_is_missing():
    """No complete series: nan, not 0."""
    found = estimate_metric(pairs(["FX", "XS"]))

    assert np.isnan([found.estimate, found.low, found.high]).all()
    assert found.clusters == 0


@pytest.mark.parametrize(
    ("other", "name"),
    [
        (VERDICTS.assign(judge="k"), "judge"),
        (VERDICTS.assign(arm="y"), "arm"),
        (sets(["132", "111"]), "slots"),
    ],
)
def test_refuses_to_pool(other, name):
    """One number is of one judge, in one arm, of one number of slots."""
    with pytest.raises(ParamsError, match=f"2 groups of .*{name}"):
        estimate_metric(stack(VERDICTS, other))
