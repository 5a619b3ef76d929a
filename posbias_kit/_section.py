"""What every section of a study has in common."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]
"""A number from 0 to 1."""


class Section(BaseModel):
    """Unknown keys, other types, nan and inf are refused; the text under a key is its help."""

    model_config = ConfigDict(
        extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )
