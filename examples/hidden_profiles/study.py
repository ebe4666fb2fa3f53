"""Hidden profiles: facts for the better candidate have one holder each, those against have all."""

from dissensus.measures import survival
from dissensus.study.experiment import Experiment, Outcome, quoted, text, texts

TRAITS = ["apt", "calm", "daring", "exact", "frank", "gentle", "honest", "jolly", "keen", "loyal"]


def choice(reply):
    """Whom a reply is for; None where it is for nobody."""
    return reply.rpartition("I choose ")[2].strip(" .") or None if "I choose " in reply else None


class HiddenProfiles(Experiment):
    name = "hidden_profiles"
    question = "Do groups lose facts that one member alone holds, and choose worse for it?"
    arms = ("hidden", "prompted", "full")
    item = {
        "better": text("The candidate whom all facts together are for."),
        "worse": text("The other."),
        "spread": texts("Facts for the better one: two are known to each agent."),
        "shared": texts("Facts for the other, which all know."),
    }
    outcomes = {
        "right": Outcome("Share of the agents who choose the better.", "Right", is_share=True),
        "spread_said": Outcome("Share of spread facts that are said.", "Spread", is_share=True),
        "shared_said": Outcome("Share of shared facts that are said.", "Shared", is_share=True),
    }

    def items(self, rng):
        while True:
            better, worse = map(str, rng.choice(["Ada", "Ben", "Cleo", "Dov"], 2, replace=False))
            facts = [str(trait) for trait in rng.permutation(TRAITS)]
            spread, shared = facts[:6], facts[6:]
            yield {"better": better, "worse": worse, "spread": spread, "shared": shared}

    def debate(self, session):
        item, known = session.item, {}
        for n in range(3):
            spread = item.spread if session.arm == "full" else item.spread[2 * n : 2 * n + 2]
            facts = [f"{item.worse} is {trait}." for trait in item.shared]
            facts += [f"{item.better} is {trait}." for trait in spread]
            known[f"A{n + 1}"] = "You know:\n" + "\n".join(facts)
        hint = "Say what the others may not know. " if session.arm == "prompted" else ""
        ask = f"{hint}Tell the others what matters."
        said = yield [session.call(name, f"{facts}\n{ask}") for name, facts in known.items()]
        heard = "The others said:\n" + "\n".join(quoted(turn.text) for turn in said)
        asks = {n: f"{facts}\n{heard}\nEnd with: I choose <name>." for n, facts in known.items()}
        yield [session.call(n, ask, choice, expected="I choose Ada.") for n, ask in asks.items()]

    def measure(self, turns, item):
        votes = turns.loc[turns["turn"] == 2, "value"].dropna()
        words = "\n".join(turns.loc[turns["turn"] == 1, "text"])
        facts = {trait: trait for trait in [*item.spread, *item.shared]}
        given = {f"A{n + 1}": [*item.spread[2 * n : 2 * n + 2], *item.shared] for n in range(3)}
        kept = survival(given, words, facts)
        right = (votes == item.better).mean()
        return {"right": right, "spread_said": kept["unshared"], "shared_said": kept["shared"]}
