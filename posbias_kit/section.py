"""What all sections of a study file have in common."""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1)]
Amount = Annotated[float, Field(ge=0)]
Slug = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]


class Section(BaseModel):
    """A section: unknown keys, wrong types, nan and inf are refused."""

    model_config = ConfigDict(
        extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )


def check_address(value, name="base_url"):
    """Return an endpoint's address, or raise ValueError where it is none, or holds a secret."""
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{name} is not an http or https address")
    if parts.username or parts.password or parts.query:
        raise ValueError(f"{name} holds credentials or a query: name the key by `key_env`")
    return value


STORED = {"stored": True}
"""Context of validation for the study of a finished run: what cannot act in it is forgotten."""


def is_stored(info):
    """Whether the study of a finished run is read, which earlier versions may have written."""
    return info.context == STORED
