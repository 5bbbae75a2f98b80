"""Lets Schemathesis ask every operation of the API, with what its document allows and forbids."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import httpx
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode, checks

from palimpsest.web.api.table import START

POSITIVE, NEGATIVE = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
CHECKS = (
    checks.not_a_server_error, checks.status_code_conformance, checks.content_type_conformance,
    checks.response_schema_conformance, checks.negative_data_rejection,
)  # fmt: skip
"""What each answer is held to; what is well formed may still mean nothing, and is refused then."""


def operations(base: str) -> Sequence[Any]:
    """Every operation of the document that the server at ``base`` gives."""
    document = httpx.get(f"{base}{START}/openapi.json").json()
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=f"{base}{START}")
    return [found.ok() for found in schema.get_all_operations()]


def ask(
    operation: Any, examples: int, here: Mapping[str, Any],
    told: Callable[[int], None] = lambda status: None,
) -> None:  # fmt: skip
    """Send ``examples`` calls of each kind, always the same ones, and check the answers.

    What is allowed is also asked ``here``, where there is something to find and to change.
    """
    for mode, place in ((POSITIVE, {}), (POSITIVE, here), (NEGATIVE, {})):
        if mode is NEGATIVE and not (list(operation.iter_parameters()) or operation.body):
            continue
        _asked(operation, mode, place, examples, told)


def _asked(
    operation: Any, mode: GenerationMode, place: Mapping[str, Any], examples: int,
    told: Callable[[int], None],
) -> None:  # fmt: skip
    @seed(20_300_501)
    @settings(
        max_examples=examples, database=None, deadline=None, phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=operation.as_strategy(generation_mode=mode))
    def one(case: Any) -> None:
        for given_by in (case.query, case.path_parameters):
            given_by.update({name: place[name] for name in given_by if name in place})
        answer = case.call(timeout=120)
        told(answer.status_code)
        case.validate_response(answer, checks=list(CHECKS))

    one()


@schemathesis.serializer("application/x-ndjson")
def lines(ctx: Any, value: Any) -> bytes:
    """A text is sent as it is."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
