"""What judges cost, from the log, and the figure of it against consistency."""

import asyncio
from types import SimpleNamespace

import matplotlib.pyplot as plt
import pandas as pd
import pytest
import yaml

from posbias_kit.judging.log import JudgmentLog
from posbias_kit.report import judge_costs, plot_cost
from posbias_kit.report.style import WORDS

JUDGES = ("priced", "local", "half", "dead", "planted")
PRICES = {"input": 1.0, "output": 1.0, "currency": "EUR"}


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def attempt(judge, call, number=1, status="ok", tokens=(None, None), cost=None):
    """Return one attempt of the log."""
    where = {"benchmark": "B"} | dict.fromkeys(("experiment", "arm", "turn"), "")
    told = {"call": f"{judge}{call}", "attempt": number, "judge": judge, "status": status}
    told |= {"settings": "{}", "repeat": 1, "prompt_digest": "d", "comparison": "c", "order": "AB"}
    return told | where | {"input_tokens": tokens[0], "output_tokens": tokens[1], "cost": cost}


ATTEMPTS = [
    attempt("priced", 1, 1, "failed"),
    attempt("priced", 1, 2, "ok", (90, 10), 0.5),
    attempt("priced", 2, 1, "invalid", (100, 20), 0.1),
    attempt("local", 1, 1, "ok", (50, 5)),
    attempt("half", 1, 1, "ok", (70, 7), 0.2),
    attempt("half", 2, 1, "ok"),
    attempt("dead", 1, 1, "failed"),
]


def bias_of(*judges):
    """Return the table of consistency that the costs are set beside."""
    return pd.DataFrame(
        {"benchmark": "B", "experiment": "", "judge": judges, "pc": 0.8, "pc_low": 0.7}
    ).assign(pc_high=0.9)


@pytest.fixture
def costs(tmp_path):
    """Return the costs of five judges, each another case."""

    async def write(log):
        await asyncio.gather(*(log.add(row) for row in ATTEMPTS))
        await log.flush()

    with JudgmentLog(tmp_path / "judgments.sqlite") as log:
        asyncio.run(write(log))
    judges = [{"name": name, "prices": PRICES if name != "local" else None} for name in JUDGES]
    text = yaml.safe_dump({"judging": {"judges": judges}})
    (tmp_path / "params.yaml").write_text(text, encoding="utf-8")
    return judge_costs(SimpleNamespace(folder=tmp_path), bias_of(*JUDGES)).set_index("judge")


def test_sums_are_over_attempts_and_rates_over_calls(costs):
    """By hand: 2 calls in 3 attempts, 190 + 30 tokens, 0.6 in money."""
    row = costs.loc["priced"]

    assert row[["calls", "attempts", "input_tokens", "output_tokens"]].tolist() == [2, 3, 190, 30]
    assert row["tokens_per_call"] == 110
    assert row["money_per_1000_calls"] == pytest.approx(300)
    assert (row["currency"], row["note"]) == ("EUR", "")


def test_what_is_not_known_is_missing_and_said(costs):
    """No price, a reply without tokens, no reply, no call: never 0, never too small a sum."""
    missing = costs[["tokens_per_call", "money"]].isna()

    assert missing.loc["local"].tolist() == [False, True]
    assert missing.loc[["half", "dead", "planted"]].to_numpy().all()
    assert costs["calls"].to_dict() == {
        "priced": 2, "local": 1, "half": 2, "dead": 1, "planted": 0,
    }  # fmt: skip
    assert costs["note"].to_dict() == {
        "priced": "",
        "local": "no price is known",
        "half": "1 reply came without tokens; the price is not known of all",
        "dead": "no reply came",
        "planted": "no call was made",
    }
    assert costs["currency"].to_dict() == dict.fromkeys(JUDGES, "") | {"priced": "EUR"}


def test_money_where_all_have_it_else_tokens(costs):
    """One judge without a price, and all are compared by their tokens."""
    costs = costs.reset_index()
    money = plot_cost(costs[costs["judge"].isin(["priced", "planted"])])
    tokens = plot_cost(costs)

    assert money.get_xlabel() == "EUR per 1,000 calls"
    assert "priced: 300, consistency 0.80" in money.figure.get_label()
    assert "Not drawn: 1 without a call." in money.figure.get_label()
    assert tokens.get_xlabel() == "tokens a call"
    legend = [text.get_text() for text in tokens.get_legend().get_texts()]
    assert legend == ["priced", "local"]
    assert tokens.texts[0].get_text() == "Not drawn: 1 without a call, 2 of unknown cost."


@pytest.mark.parametrize(("judge", "why"), [("planted", "no judge was asked"), ("dead", "tells")])
def test_nothing_to_draw_is_said(costs, judge, why):
    """Words stand in place of an empty figure."""
    ax = plot_cost(costs.reset_index().query("judge == @judge"))

    assert ax.figure.get_gid() == WORDS
    assert why in ax.figure.get_label()


def test_a_run_without_a_log_has_no_costs(tmp_path):
    """Judgments that were read: every judge without a call."""
    table = judge_costs(SimpleNamespace(folder=tmp_path), bias_of("a", "b"))

    assert table["calls"].tolist() == [0, 0]
    assert table["note"].tolist() == ["no call was made"] * 2
    assert table[["tokens_per_call", "money"]].isna().to_numpy().all()
