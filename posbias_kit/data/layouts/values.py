"""Replies, scores and judges as rows spell them."""

import math

from posbias_kit.data.json_rows import id_of
from posbias_kit.data.layouts.records import is_missing, need
from posbias_kit.errors import ReadError
from posbias_kit.parsing import why_no_label
from posbias_kit.schema import Reason


def text_of(value, key):
    """Return a text, or None where the row has none.

    >>> text_of("[[A]]", "judgment"), text_of(None, "judgment")
    ('[[A]]', None)
    """
    if isinstance(value, str):
        return value
    if is_missing(value):
        return None
    raise ReadError(f"{key} is {str(value)[:60]!r}", allowed="a text, or null", cure=f"mend {key}")


def score_of(value, key):
    """Return a score, None where there is none: null, not a number, or the failure mark -1.

    >>> score_of("8", "score"), score_of(-1, "score"), score_of(None, "score")
    (8.0, None, None)
    """
    try:
        number = math.nan if value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.inf
    if math.isinf(number) or isinstance(value, bool):
        raise ReadError(
            f"{key} is {str(value)[:60]!r}", allowed="a number, -1 or null", cure=f"mend {key}"
        )
    return None if math.isnan(number) or number == -1 else number


_TOLD = (float, int, str)


def made_of(row, *said, key="tstamp"):
    """Return a hash of a call and of what was said in it, 0 where the row does not tell both.

    The call is known by its time, or by what stands under another `key`.

    >>> made_of({"tstamp": 1.5}, "[[A]]") == made_of({"tstamp": 1.5}, "[[A]]") != 0
    True
    >>> made_of({"tstamp": 1.5}, None), made_of({}, "[[A]]")
    (0, 0)
    """
    call = row.get(key)
    return hash((call, said)) if isinstance(call, _TOLD) and any(said) else 0


def why_none(raw):
    """Say why there is no verdict, as far as the reply tells.

    >>> [str(why_none(raw)) for raw in (" ", "$ERROR$", "Both are fine.", None)]
    ['empty', 'error_marker', 'no_label', 'no_label']
    """
    if not isinstance(raw, str):
        return Reason.NO_LABEL
    return why_no_label(raw, "", False).reason if raw.strip() else Reason.EMPTY


def judge_of(row):
    """Return (model, name of its prompt) of a row in one of FastChat's dialects.

    FastChat writes ``judge: [model, prompt]``, ja-vicuna-qa ``judge_model`` and ``judge_prompt``.

    >>> judge_of({"judge": ["gpt-4", "pair-v2"]})
    ('gpt-4', 'pair-v2')
    >>> judge_of({"judge_model": "gpt-4", "judge_prompt": "pair"})
    ('gpt-4', 'pair')
    """
    if "judge" not in row:
        (judge,) = need(row, "judge_model")
        return id_of(judge, "judge_model"), text_of(row.get("judge_prompt"), "judge_prompt") or ""
    judge = row["judge"] if isinstance(row["judge"], list) else [row["judge"]]
    if len(judge) not in (1, 2):
        raise ReadError(
            f"judge is {str(judge)[:60]!r}", allowed="[model, prompt]", cure="mend judge"
        )
    prompt = text_of(judge[1], "judge[1]") if len(judge) == 2 else None
    return id_of(judge[0], "judge"), prompt or ""
