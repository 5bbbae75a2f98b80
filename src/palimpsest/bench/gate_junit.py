"""The outcome of a check as JUnit XML: one test case for each case that was compared.

A suite is a test suite, a strategy its class, a checkpoint the name. Every finding is a
failure, since each makes the check exit 1; its type is the kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree as ET

from palimpsest.bench.baseline import Case
from palimpsest.bench.compare import Comparison, Finding
from palimpsest.language.invisible import shown

_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(outcome: Comparison) -> str:
    """The XML text."""
    root = ET.Element("testsuites", name="palimpsest bench check")
    for note in outcome.notes:
        _text(ET.SubElement(_properties(root), "property", name="note"), note)
    if outcome.verdict == "error":
        suite = ET.SubElement(root, "testsuite", name="palimpsest", tests="1", errors="1")
        case = ET.SubElement(suite, "testcase", classname="palimpsest", name="baseline")
        for reason in outcome.refusals:
            ET.SubElement(case, "error", type="error", message=_clean(reason))
    for name in dict.fromkeys(suite for suite, _ in outcome.cases):
        _suite(root, name, outcome)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _properties(root: ET.Element) -> ET.Element:
    found = root.find("properties")
    return found if found is not None else ET.SubElement(root, "properties")


def _suite(root: ET.Element, name: str, outcome: Comparison) -> None:
    cases = [case for suite, case in outcome.cases if suite == name]
    findings = [finding for finding in outcome.findings if finding.suite == name]
    suite = ET.SubElement(root, "testsuite", name=_clean(name))
    failed = 0
    for case in cases:
        own = [f for f in findings if (f.strategy, f.after, f.variant) == case.key]
        failed += _case(suite, name, case, own)
    stored = [finding for finding in findings if finding.after is None]
    for strategy, variant in dict.fromkeys((f.strategy, f.variant) for f in stored):
        made = _test(suite, name, strategy, f"forgotten, {variant}" if variant else "storage")
        _fail(made, [f for f in stored if (f.strategy, f.variant) == (strategy, variant)])
        failed += 1
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(failed))
    suite.set("errors", "0")


def _case(suite: ET.Element, name: str, case: Case, own: list[Finding]) -> bool:
    variant = f" ({case.variant})" if case.variant else ""
    _fail(_test(suite, name, case.strategy, f"turn {case.after}{variant}"), own)
    return bool(own)


def _test(suite: ET.Element, name: str, strategy: str, title: str) -> ET.Element:
    return ET.SubElement(
        suite, "testcase", classname=_clean(f"{name}.{strategy}"), name=_clean(title)
    )


def _fail(test: ET.Element, findings: Iterable[Finding]) -> None:
    """One failure, as the format allows: the worst opens it, the others are in its text."""
    found = list(findings)
    if not found:
        return
    made = ET.SubElement(test, "failure", type=found[0].kind, message=_clean(found[0].text))
    told = [f"{f.kind}: {f.text}" + (f" | {f.why}" if f.why else "") for f in found]
    made.text = "\n".join(map(_clean, told))


def _text(element: ET.Element, text: str) -> None:
    element.set("value", _clean(text))


def _clean(text: str) -> str:
    return _NO_XML.sub(lambda found: f"\\u{ord(found.group()):04x}", shown(text))
