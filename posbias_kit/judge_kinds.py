"""The kinds of judges that a study may name, with the settings of each."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue, field_validator, model_validator

from posbias_kit.section import Amount, Count, Section, Share, check_address

EnvironmentName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$")]


class _Bias(Section):
    slot_effect: float | list[float] = 0.0
    """Log-odds for the first slot over another; or one value a slot."""
    label_effect: float | dict[Literal["letters", "words", "numbers"], float] = 0.0
    """Log-odds for the answer that bears the first label; or one value for each set of labels."""
    ties: Annotated[float, Field(ge=0)] = 0.0
    """Weight of TIE: 1 makes it as likely as either slot when nothing else differs."""
    discernment: float = 1.0
    """Multiplies the latent qualities: 0 sees no quality at all."""
    length_taste: float = 0.0
    """Log-odds for one unit of log answer length (characters)."""
    repeat_noise: Share = 1.0
    """Share of calls decided afresh; the rest repeat the presentation's settled verdict."""
    invalid_rate: Share = 0.0
    """Share of calls that bring a reply without a verdict."""
    failure_rate: Share = 0.0
    """Share of calls that bring no reply."""


class TaskBias(_Bias):
    """What differs for one task; keys left out are the judge's own."""


class ArmBias(_Bias):
    """What differs in one arm; keys left out are the judge's own, or the task's."""


class PlantedParams(_Bias):
    """A simulated judge with known bias."""

    name: str
    """Name in the tables."""
    kind: Literal["planted"]
    """Which kind of judge this is."""
    quality: dict[str, float] | None = None
    """Latent quality of each candidate in log-odds; none takes the starter benchmark's."""
    by_task: dict[str, TaskBias] = {}
    """Settings that differ for a task."""
    by_arm: dict[str, ArmBias] = {}
    """Settings that differ in an arm."""


class RecordedParams(Section):
    """A judge whose verdicts were recorded before."""

    name: str
    """Name of the judge in the recorded table."""
    kind: Literal["recorded"]
    """Which kind of judge this is."""
    path: str
    """The recorded verdict table (Parquet), or `starter` for the one that comes with the kit."""
    partial: bool = False
    """Leave out planned calls that were not recorded, and count them, instead of refusing them."""


class Limits(Section):
    """How fast to ask, and when to give up."""

    concurrency: Count = 8
    """Calls in flight at a time."""
    requests_per_minute: Annotated[float, Field(gt=0)] | None = None
    """Requests a minute; none for no limit."""
    tokens_per_minute: Annotated[float, Field(gt=0)] | None = None
    """Tokens a minute, prompt and reply together; none for no limit."""
    timeout: Annotated[float, Field(gt=0)] = 120.0
    """Seconds one attempt may take."""
    deadline: Annotated[float, Field(gt=0)] = 600.0
    """Seconds a call may take with all its attempts and waits."""
    attempts: Count = 6
    """Attempts of one call in one run."""
    first_wait: Annotated[float, Field(gt=0)] = 0.5
    """Seconds before the second attempt, doubled each time; more where the endpoint asks."""
    failures_in_a_row: Count = 20
    """Stop the run when so many calls have failed with no reply between them."""


class LocalLimits(Limits):
    """How fast to ask, and when to give up: a server on a few cores answers one call at a time."""

    concurrency: Count = 1
    """Calls in flight at a time; more than one makes the server forget what it has read."""
    timeout: Annotated[float, Field(gt=0)] = 600.0
    """Seconds one attempt may take."""
    deadline: Annotated[float, Field(gt=0)] = 1800.0
    """Seconds a call may take with all its attempts and waits."""


class Batch(Section):
    """How requests go out in batches, and how often one looks for what came back."""

    max_requests: Count | None = None
    """Requests in one batch; none takes what the provider allows at most."""
    max_bytes: Count | None = None
    """Size of one batch; none takes what the provider allows at most."""
    first_look: Annotated[float, Field(gt=0)] = 10.0
    """Seconds before the first look at a batch; each wait is half as long again as the last."""
    longest_wait: Annotated[float, Field(gt=0)] = 300.0
    """Seconds between two looks at most."""
    resubmit_lost: bool = False
    """Ask again what was sent in a batch that the endpoint knows nothing of; else stop there."""


class Prices(Section):
    """What a million tokens cost."""

    input: Amount
    """A million prompt tokens."""
    output: Amount
    """A million tokens written, reasoning included."""
    cached: Amount | None = None
    """A million prompt tokens read from the endpoint's cache; none costs as `input`."""
    batch_factor: Share = 1.0
    """Multiplies all prices where the judge is asked in batches: 0.5 for half price."""
    currency: str = "USD"
    """Of the prices."""
    date: str
    """When these prices were read, as 2026-01-31."""


class _Live(Section):
    name: str
    """Name in the tables."""
    template: str = "brackets"
    """Prompt template: a name of the kit's own, or the path of yours."""
    drop_refused: bool = False
    """Send without the settings that the endpoint refuses, and record it; else stop."""
    verdict_first: bool = False
    """The prompt asks for the verdict first: a reply that was cut off may be read."""
    extra: dict[str, JsonValue] = {}
    """Further settings, sent as they are."""
    limits: Limits = Limits()
    """How fast to ask, and when to give up."""
    prices: Prices | None = None
    """What tokens cost; none where nothing is paid."""

    @property
    def batching(self):
        """Settings of the batches, or None where each call is a request of its own."""
        told = getattr(self, "batch", False)
        return Batch() if told is True else told or None


class _Hosted(_Live):
    model: str
    """Model, as the endpoint calls it."""
    temperature: Amount | None = 0.0
    """Sampling temperature; none is not sent."""
    base_url: str | Annotated[list[str], Field(min_length=1)] | None = None
    """Address of the endpoint, or of several that share the calls; none takes the SDK's own."""
    base_url_env: EnvironmentName | None = None
    """Environment variable that holds the address instead, on every worker its own."""
    batch: bool | Batch = False
    """Ask in batches, which come back within a day: true, or settings; false asks at once."""

    @field_validator("base_url")
    @classmethod
    def _check_address(cls, value):
        urls = value if isinstance(value, list) else [value or "http://x"]
        if len(set(urls)) < len(urls):
            raise ValueError("base_url names an address twice")
        for url in urls:
            check_address(url)
        return value

    @model_validator(mode="after")
    def _check_source(self):
        if self.base_url and self.base_url_env:
            raise ValueError("base_url and base_url_env: one of them names the endpoint")
        if self.batch and isinstance(self.base_url, list):
            raise ValueError("batch: results come back from where they were sent: one base_url")
        return self


class OpenAIParams(_Hosted):
    """A model at an endpoint that speaks OpenAI's chat completions."""

    kind: Literal["openai"]
    """Which kind of judge this is."""
    key_env: EnvironmentName | None = "OPENAI_API_KEY"
    """Name of the environment variable that holds the key; none where no key is asked for."""
    max_tokens: Count | None = 1024
    """Most tokens a reply may have, reasoning included; none is not sent."""
    reasoning: bool = False
    """A reasoning model: sends `max_completion_tokens`, and no temperature."""
    seed: int | None = None
    """Sampling seed; each call sends one of its own made from it. None is not sent."""
    labels: Literal["plain", "json_schema", "grammar", "logprobs"] = "plain"
    """How the reply is held to the labels; plain leaves it to the prompt and the parser."""


class AnthropicParams(_Hosted):
    """A model asked through Anthropic's messages (the extra `anthropic`)."""

    kind: Literal["anthropic"]
    """Which kind of judge this is."""
    key_env: EnvironmentName | None = "ANTHROPIC_API_KEY"
    """Name of the environment variable that holds the key."""
    max_tokens: Count = 1024
    """Most tokens a reply may have, thinking included."""


class LocalParams(_Live):
    """A model that the kit runs on this machine while it judges."""

    kind: Literal["local"]
    """Which kind of judge this is."""
    model: str = "qwen-coder-1.5b"
    """A known set of weights, or the path of a GGUF file."""
    labels: Literal["plain", "json_schema", "grammar", "logprobs"] = "grammar"
    """How the reply is held to the labels; plain leaves it to the prompt and the parser."""
    temperature: Amount = 0.7
    """Sampling temperature; above 0, so that repeats differ."""
    max_tokens: Count = 256
    """Most tokens a reply may have."""
    seed: int = 20240607
    """Sampling seed; each call sends one of its own made from it."""
    threads: Count | None = None
    """Threads of the server; none takes one a core."""
    template: str = "fewshot-letters"
    """Prompt template: a name of the kit's own, or the path of yours."""
    context: Annotated[int, Field(ge=512)] = 8192
    """Tokens that prompt and reply may have together."""
    extra: dict[str, JsonValue] = {"top_k": 0, "top_p": 1.0, "min_p": 0.0}
    """Further settings, sent as they are; the default keeps unlikely labels in the draw."""
    limits: LocalLimits = LocalLimits()
    """How fast to ask, and when to give up; one call at a time is fastest here."""


JudgeParams = Annotated[
    PlantedParams | RecordedParams | OpenAIParams | AnthropicParams | LocalParams,
    Field(discriminator="kind"),
]
LIVE = (OpenAIParams, AnthropicParams, LocalParams)
"""Kinds whose calls take time and may cost money."""
