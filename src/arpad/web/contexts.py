"""What every page says: typed, the same for people and for programs."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

__all__ = ["Chart", "Context", "Link"]


class Context(BaseModel):
    """What a page says; its JSON twin says the same, field by field."""

    model_config = ConfigDict(frozen=True, ser_json_inf_nan="null")


class Link(Context):
    """Something that has a page of its own."""

    text: str
    href: str


class Chart(Context):
    """A picture: its Vega-Lite description is fetched from `href`; `says` is for those who cannot see it."""

    title: str
    href: str
    says: str


Plain = dict[str, Any]
