"""Prompts and judges made for the tests of live judging."""

import asyncio
import hashlib
import json
from dataclasses import dataclass

from pydantic import TypeAdapter

from posbias_kit.judge_kinds import JudgeParams
from posbias_kit.judging.openai_client import OpenAIClient

KEY = "sk-PLANTED-9f8e7dQZXW"


@dataclass(frozen=True)
class Prompt:
    """A rendered prompt, as templates make them."""

    messages: tuple
    template: str = "test@1"
    format: str = "mtbench_brackets"
    slots: int = 2
    options: int = 3
    labels: tuple = ("A", "B", "C")

    @property
    def digest(self):
        """SHA-256 over the canonical JSON of the messages."""
        text = json.dumps(self.messages, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def prompt(text="Which?", system=None):
    """Return a prompt of one user message."""
    head = (("system", system),) if system else ()
    return Prompt((*head, ("user", text)))


def params(url="http://127.0.0.1:9/v1", kind="openai", **settings):
    """Return a judge's settings."""
    told = {"name": "j", "kind": kind, "model": "m-1", "base_url": url, "key_env": None}
    return TypeAdapter(JudgeParams).validate_python(told | settings)


def ask(url, text="Which?", client=OpenAIClient, timeout=5, **settings):
    """Send one prompt once and return the reply."""
    kind = "anthropic" if client is not OpenAIClient else "openai"

    async def once():
        adapter = client(params(url, kind, **settings))
        try:
            return await adapter.ask(prompt(text), timeout)
        finally:
            await adapter.close()

    return asyncio.run(once())
