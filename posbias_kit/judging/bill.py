"""What judging will take: calls, tokens and money, before any call is made."""

import pandas as pd

from posbias_kit.judge_kinds import LocalParams
from posbias_kit.judging.batch_log import calls_out
from posbias_kit.judging.budget import sum_up
from posbias_kit.judging.live import LiveJudge
from posbias_kit.judging.log_table import Totals, read_states, read_totals
from posbias_kit.judging.views import see_arms


def estimate_calls(judges, presentations, answers, questions, log=None, again=False):
    """Count what is left to ask live judges, and what it takes at most.

    Tokens of prompts are their characters divided by four: the kit has no tokenizer of the
    models it asks. Tokens of replies are counted at the limit that is sent.

    Parameters
    ----------
    judges : list of judges
        From :func:`posbias_kit.judging.make_judges`; only live ones are counted.
    presentations, answers, questions : DataFrame
        Tables of the study.
    log : str or Path, optional
        ``judgments.sqlite`` of the run; what it has is not asked again.
    again : bool
        As the key `judging.ask_invalid_again` of a study.

    Returns
    -------
    DataFrame
        One row a live judge and arm: judge, arm, comparisons, calls (planned), answered (in the
        log already), out (sent in a batch, not back yet), open, input_tokens and output_tokens
        (of the open calls, replies at most), money (at most, the batch factor counted; missing
        without a price table, 0 for a local judge), currency, batch_factor (missing where not
        asked in batches, or without a price table).
    """
    live = [judge for judge in judges if isinstance(judge, LiveJudge)]
    views = see_arms(live, presentations, answers, questions)
    states, out = (read_states(log), calls_out(log)) if log else ({}, {})
    rows = [_row(judge, views[judge.arm.name], states, out, again) for judge in live]
    columns = ["judge", "arm", "comparisons", "calls", "answered", "out", "open", "input_tokens",
               "output_tokens", "money", "currency", "batch_factor"]  # fmt: skip
    return pd.DataFrame(rows, columns=columns).astype({"money": float, "batch_factor": float})


def count_used(log):
    """Count what caps have to allow for already: what a log used up, and what is on its way.

    Parameters
    ----------
    log : str or Path
        ``judgments.sqlite`` of a run; need not be there.

    Returns
    -------
    Totals
    """
    return sum_up(read_totals(log), *calls_out(log).values())


def _row(judge, view, states, out, again):
    shown = view.shown
    keys = judge.identify(shown)
    most, count, gone = Totals(), 0, len(out.keys() & keys.values())
    for series in judge.open_calls(shown, keys, states, again):
        series = [call for call in series if call.key not in out]
        count += len(series)
        most = sum_up(most, *(call.most for call in series))
    written = count * judge.most_written
    prices = judge.params.prices
    free = isinstance(judge.params, LocalParams)
    return {
        "judge": judge.name,
        "arm": judge.arm.name,
        "comparisons": view.asked["comparison"].nunique(),
        "calls": len(keys),
        "answered": len(keys) - count - gone,
        "out": gone,
        "open": count,
        "input_tokens": most.tokens - written,
        "output_tokens": written,
        "money": 0.0 if free or not count else (most.money if prices else None),
        "currency": prices.currency if prices else "",
        "batch_factor": prices.batch_factor if prices and judge.params.batching else None,
    }
