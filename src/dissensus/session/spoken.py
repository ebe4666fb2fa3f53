"""What is sent to a model, from what a study gives: texts, messages, and results of tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dissensus.llm.call import Message
from dissensus.session.quoting import quoted
from dissensus.setting_faults import show, unwritable

#: Role as an interface names it -> as it is sent. That of a tool is said by the user.
_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_TOOLS = ("tool", "function")
#: What stands where a message has a picture, which no journal keeps.
LEFT_OUT = "(A picture stood here, and is left out.)"
_FORM = (
    "a list of user(...), assistant(...) and result(...), or of mappings with a role and a content"
)


def user(text: str) -> Message:
    """What the model is asked."""
    return Message("user", text)


def assistant(text: str) -> Message:
    """What the model said before."""
    return Message("assistant", text)


def result(tool: str, text: str) -> Message:
    """What a tool gave, quoted so that no line of it passes for the study's own words.

    It is said by the user: each interface has a form of its own for results, and a model is then
    told the same by all of them.

    Parameters
    ----------
    tool : its name.
    text : what it gave.
    """
    return Message("user", f"{tool} gave:\n{quoted(text)}")


@dataclass(frozen=True)
class Again:
    """Asks again: the same conversation, with what was wrong at its end."""

    conversation: tuple[Message, ...]

    def __call__(self, problems: tuple[str, ...], /) -> tuple[Message, ...]:
        *before, last = self.conversation
        wrong = f"{last.content}\n\nYour last reply would not do: {'; '.join(problems)}."
        return (*before, replace(last, content=wrong))


def conversation(messages: Any, system: str) -> tuple[Message, ...]:
    """What is sent, from what a study gives.

    Parameters
    ----------
    messages : a text, or a list of messages, or of mappings as interfaces have them.
    system : what is said before all else; "" for nothing.

    Raises
    ------
    ValueError : it is no text, and no list of messages.
    """
    given = [user(messages)] if isinstance(messages, str) else messages
    is_list = isinstance(given, Sequence) and given
    if not is_list or any(isinstance(each, str) for each in given):
        raise ValueError(f"the prompt of a call is {show(messages)}; it must be a text, or {_FORM}")
    said = [_message(each) for each in given]
    sent = (Message("system", system), *said) if system else tuple(said)
    for message in sent:
        try:
            message.content.encode()
        except UnicodeEncodeError as error:
            raise ValueError(
                f"the prompt of a call has {unwritable(message.content[error.start])} at place "
                f"{error.start + 1}, half a character, which cannot be sent; take it out of what "
                "the prompt is made of"
            ) from None
    return sent


def _message(given: Any) -> Message:
    """A message, as it is given or from a mapping.

    Raises
    ------
    ValueError : it is none, or has a role that there is not.
    """
    if isinstance(given, Message) and isinstance(given.content, str):
        if given.role not in ("system", "user", "assistant"):
            raise ValueError(_no_role(given.role))
        return given
    if not isinstance(given, Mapping) or not {"role", "content"} <= set(given):
        raise ValueError(f"the prompt of a call has {show(given)}; it must be a text, or {_FORM}")
    role, text = given["role"], _text(given["content"])
    if role in _TOOLS:
        return result(str(given.get("name") or "The tool"), text)
    if role not in _ROLES:
        raise ValueError(_no_role(role))
    return Message(_ROLES[role], text)  # type: ignore[arg-type]


def _no_role(role: Any) -> str:
    names = ", ".join((*_ROLES, *_TOOLS))
    return f"the prompt of a call has a message of the role {role!r}; there are {names}"


def _text(content: Any) -> str:
    """The text of a message's content, which may be in parts; a picture is left out and said so.

    Raises
    ------
    ValueError : it is neither, or has a part of another kind.
    """
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else [content]
    texts = []
    for part in parts:
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind in ("text", "input_text", "output_text") and isinstance(part["text"], str):
            texts.append(part["text"])
        elif kind in ("image", "image_url", "input_image"):
            texts.append(LEFT_OUT)
        else:
            raise ValueError(
                f"the content of a message has {show(part)}; it may be a text, or parts of the "
                "types text and image, of which images are left out"
            )
    return "\n".join(texts)
