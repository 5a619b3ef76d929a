"""How a reply is held to the labels, and how much more likely one label was than another."""

from posbias_kit.errors import ParamsError, check_choice

STRATEGIES = ("plain", "json_schema", "grammar", "logprobs")
"""plain: the prompt and the parser alone. json_schema: an object whose `choice` is a label, at
labs, vLLM and llama.cpp. grammar: llama.cpp only. logprobs: nothing is enforced, the likeliest
first tokens are told. Log-probabilities come with grammar too."""

_MOST = 20
"""Log-probabilities that OpenAI gives at most."""
_GRAMMARS = {
    "letters": "root ::= {label}",
    "mtbench_brackets": 'root ::= [^\\[\\]]* "[[" {label} "]]"',
    "arena_hard": 'root ::= [^\\[\\]]* "[[" {label} "]]"',
    "devbench_choice": 'root ::= ([^\\n]* "\\n")* "Choice: " {label}',
    "json_choice": (
        'root ::= "{{" ws "\\"reason\\":" ws "\\"" [^"\\\\\\n]* "\\"," ws "\\"choice\\":" ws '
        '"\\"" {label} "\\"" ws "}}"\nws ::= " "?'
    ),
}


def constrain(strategy, prompt):
    """Return what a chat completion has to send beside the prompt.

    At a temperature above 0 the verdict is the token that was sampled; log-probabilities are
    those before temperature and constraint, and only give the margin.

    Parameters
    ----------
    strategy : {"plain", "json_schema", "grammar", "logprobs"}
    prompt : posbias_kit.judging.prompts.Prompt

    Returns
    -------
    dict
        Fields of the request's body.

    Raises
    ------
    ParamsError
        Unknown strategy, or one that does not fit the format of the prompt's replies.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> prompt = SimpleNamespace(format="letters", labels=("A", "B", "C"))
    >>> constrain("grammar", prompt)["grammar"]
    'root ::= ("A" | "B" | "C")'
    >>> constrain("plain", prompt)
    {}
    """
    check_choice(strategy, STRATEGIES, "labels")
    if strategy == "plain":
        return {}
    if strategy == "json_schema":
        return {"response_format": _schema(prompt)}
    base = prompt.format.partition(":")[0]
    if strategy == "logprobs" and base != "letters":
        raise _unfit(strategy, prompt, "letters", "take a template whose whole reply is a label")
    # Only there is the first token of the reply its label.
    asked = {"logprobs": True, "top_logprobs": _MOST} if base == "letters" else {}
    if strategy == "grammar":
        label = " | ".join(f'"{word}"' for word in prompt.labels)
        asked["grammar"] = _GRAMMARS[base].format(label=f"({label})")
    return asked


def _schema(prompt):
    if prompt.format != "json_choice":
        raise _unfit("json_schema", prompt, "json_choice", "take the template `json`, or another")
    schema = {
        "type": "object",
        "properties": {
            "reason": {"type": "string"},
            "choice": {"type": "string", "enum": list(prompt.labels)},
        },
        "required": ["reason", "choice"],
        "additionalProperties": False,
    }
    return {
        "type": "json_schema",
        "json_schema": {"name": "verdict", "strict": True, "schema": schema},
    }


def _unfit(strategy, prompt, allowed, cure):
    return ParamsError(
        f"{strategy!r} does not fit replies in format {prompt.format!r}",
        place="labels",
        allowed=f"format {allowed}",
        cure=cure,
    )


def read_margin(logprobs, labels):
    """Return how much likelier slot 1 was than slot 2, in nats.

    Parameters
    ----------
    logprobs : dict or None
        Label -> log-probability as the first token.
    labels : sequence of str
        The slots' labels first.

    Returns
    -------
    float or None
        None where one of the two was not among the likeliest tokens.

    Examples
    --------
    >>> read_margin({"A": -0.5, "B": -2.0, "C": -3.0}, ("A", "B", "C"))
    1.5
    """
    first, second = ((logprobs or {}).get(label) for label in labels[:2])
    return None if first is None or second is None else first - second
