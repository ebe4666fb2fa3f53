"""Debates that end in a vote, run by MALLM; runs in an environment of its own.

Agents take turns on a shared memory and then vote for one of their last answers, as MALLM's simple
voting has it. Every call goes to the server; the server's words are fixed, so that a vote's number
is the one that the same agent cast in our debate. MALLM's metrics load their scripts from the
network when they are imported: they are left out, and no part of what is measured. Its debates are
run side by side by threads, as its scheduler runs them.
"""

from __future__ import annotations

import argparse
import io
import json
import logging
import sys
from multiprocessing.pool import ThreadPool
from pathlib import Path
from types import ModuleType
from typing import Any

sys.modules["mallm.evaluation.evaluator"] = ModuleType("mallm.evaluation.evaluator")
sys.modules["mallm.evaluation.evaluator"].Evaluator = object  # type: ignore[attr-defined]

from mallm.coordinator import Coordinator  # noqa: E402
from mallm.models.Chat import Chat  # noqa: E402
from mallm.utils.config import Config  # noqa: E402
from mallm.utils.types import InputExample, WorkerFunctions  # noqa: E402
from openai import OpenAI  # noqa: E402
from rich.progress import Console  # noqa: E402

#: What its prompt for a vote ends with.
_VOTE = "Answer only with the number."


class Voter(Chat):  # type: ignore[misc]
    """Its client, but that replies come whole and that votes are those of our debate.

    Attributes
    ----------
    ballots : the answer that each agent votes for, in the order in which they are asked.
    """

    ballots: list[int]

    def _call(self, prompt: Any, stop: Any = None, run_manager: Any = None, **more: Any) -> str:
        completion = self.client.chat.completions.create(
            model=self.model,
            messages=self.merge_consecutive_messages(prompt),
            max_tokens=self.max_tokens,
        )
        is_vote = prompt[-1]["content"].endswith(_VOTE)
        return str(self.ballots.pop(0)) if is_vote else completion.choices[0].message.content or ""


def decided(client: OpenAI, model: str, debate: dict[str, Any], config: Config) -> int:
    """The agent whose answer wins a debate; -1 where two have the most votes."""
    votes: list[int] = debate["votes"]
    # An agent votes for the first answer that is its own.
    ballots = [votes.index(vote) for vote in votes]
    console = Console(record=True, file=io.StringIO())
    coordinator = Coordinator(
        model=Voter(client=client, model=model, ballots=ballots),
        client=None,
        agent_generators=["nopersona"] * len(votes),
        console=console,
    )
    statement = InputExample(debate["session"], None, [debate["statement"]], None, ["none"])
    unused = WorkerFunctions(list, str, len)
    discussion = coordinator.discuss(config, statement, unused)
    (ended,) = (result for result in discussion[7].values() if result is not None)
    winner: int = ended.alterations["anonymous"].most_voted
    return winner


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("debates", type=Path, help="JSON: statement and last votes of each")
    parser.add_argument("base_url", help="of the server")
    parser.add_argument("model")
    parser.add_argument("decisions", type=Path, help="written: session -> the deciding agent")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    debates = json.loads(options.debates.read_text(encoding="utf-8"))
    client = OpenAI(base_url=options.base_url, api_key="none")
    config = Config(
        input_json_file_path="none.json",
        output_json_file_path=str(options.decisions.with_name("log.json")),
        task_instruction_prompt="Say how far you agree with the statement, and why.",
        decision_protocol="simple_voting",
        max_turns=3,
        use_chain_of_thought=False,
    )
    with ThreadPool(len(debates)) as pool:
        run = [(client, options.model, debate, config) for debate in debates]
        winners = pool.starmap(decided, run)
    decisions = {d["session"]: winner for d, winner in zip(debates, winners, strict=True)}
    options.decisions.write_text(json.dumps(decisions), encoding="utf-8")


if __name__ == "__main__":
    main()
