"""Small real tokenizers: a byte-level vocabulary and chat templates written for the tests."""

from __future__ import annotations

import hashlib

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from palimpsest.tokens.expression import MediaTokens
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.tokens.template import ChatTemplate

CONTROLS = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<s>",
)

CHATML = """
{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {{- (messages[0].content ~ '\\n\\n') if messages[0].role == 'system' }}
    {{- 'Tools:\\n' }}
    {%- for tool in tools %}{{- tool | tojson ~ '\\n' }}{%- endfor %}
    {{- '<|im_end|>\\n' }}
{%- elif messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' ~ messages[0].content ~ '<|im_end|>\\n' }}
{%- else %}
    {{- '<|im_start|>system\\nYou are a test.<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'tool' %}
        {{- '<|im_start|>user' if loop.first or messages[loop.index0 - 1].role != 'tool' }}
        {{- '\\n<result>\\n' ~ message.content ~ '\\n</result>' }}
        {{- '<|im_end|>\\n' if loop.last or messages[loop.index0 + 1].role != 'tool' }}
    {%- elif message.role != 'system' or not loop.first %}
        {{- '<|im_start|>' ~ message.role ~ '\\n' }}
        {%- if message.content is string %}
            {{- message.content }}
        {%- else %}
            {%- for part in message.content %}
                {%- if part.type == 'text' %}{{- part.text }}
                {%- elif part.type == 'thinking' %}{{- '<think>' ~ part.thinking ~ '</think>' }}
                {%- elif part.type == 'tool_use' %}{{- '<call>' ~ part.name ~ part.input | tojson ~ '</call>' }}
                {%- elif part.type == 'tool_result' %}{{- '<result>' ~ (part.content if part.content is string else part.content | tojson) ~ '</result>' }}
                {%- endif %}
            {%- endfor %}
        {%- endif %}
        {%- for call in message.tool_calls or [] %}
            {{- '\\n<call>\\n' ~ call.function | tojson ~ '\\n</call>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{{- '<|im_start|>assistant\\n' if add_generation_prompt }}
"""
"""Text, tools, calls, results and raw parts; a default system message; additive."""

STRICT = """
{{- '<s>' }}
{%- for message in messages %}
    {%- if message.role == 'system' %}{{- raise_exception('System role not supported') }}{%- endif %}
    {%- if (message.role == 'user') != (loop.index0 % 2 == 0) %}
        {{- raise_exception('Roles must alternate user/assistant/user/assistant') }}
    {%- endif %}
    {{- '<start_of_turn>' ~ ('model' if message.role == 'assistant' else 'user') ~ '\\n' }}
    {{- message.content | trim ~ '<end_of_turn>\\n' }}
{%- endfor %}
{{- '<start_of_turn>model\\n' if add_generation_prompt }}
"""
"""As Gemma 2 is: no system role, strict alternation."""

FOLDING = """
{{- '<s>' }}
{%- set system = messages[0].content ~ '\\n\\n' if messages[0].role == 'system' else '' %}
{%- for message in (messages[1:] if system else messages) %}
    {%- if (message.role == 'user') != (loop.index0 % 2 == 0) %}
        {{- raise_exception('Roles must alternate user/assistant/user/assistant') }}
    {%- endif %}
    {{- '<start_of_turn>' ~ ('model' if message.role == 'assistant' else 'user') ~ '\\n' }}
    {{- system if loop.first }}{{- message.content | trim ~ '<end_of_turn>\\n' }}
{%- endfor %}
{{- '<start_of_turn>model\\n' if add_generation_prompt }}
"""
"""As Gemma 3 is: the system text goes into the first user turn."""


def vocabulary() -> Tokenizer:
    """Bytes and a few merges, with the control tokens of the templates above."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("e", "r"), ("t", "h"), ("th", "e"), ("Ġ", "the"), ("Ċ", "Ċ"), ("Ġ", "Ġ"), ("l", "l")]
    pieces = {piece: id for id, piece in enumerate([*letters, *map("".join, merges)])}
    made = Tokenizer(models.BPE(vocab=pieces, merges=merges))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(text, normalized=False) for text in CONTROLS])
    return made


def small(
    template: str, *, name: str = "small", media_tokens: MediaTokens = None, proven: bool = False
) -> LocalTokenizer:
    """A tokenizer over the small vocabulary with a template of the test's own."""
    encoder = vocabulary()
    return LocalTokenizer(
        name=name,
        encoder=encoder,
        template=ChatTemplate(name=name, source=template, variables={"bos_token": "<s>"}),
        fingerprint=hashlib.sha256(encoder.to_str().encode()).hexdigest(),
        media_tokens=media_tokens,
        proven=proven,
    )
