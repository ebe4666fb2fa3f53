# The language study: a randomised trial of prompt language on the homogeneity of debates.
#
# in:    resources/motions, resources/prompts/language, the settings under `language`
# out:   results/<run>/language/: pool, reliability, manifest, sessions, transcripts, calls, turns,
#        metrics, estimates, tables, figures
# steps: inputs.smk     what each rule reads
#        sessions.smk   code the pool, draw the manifest, hold each session, gather the turns
#        measures.smk   embed, measure, anchor
#        estimates.smk  every test, interval and diagnosis
#        figures.smk    tables, figures and their captions
#        money.smk      what it will cost, and what it has cost

L = RESULTS / "language"
STUDY = SETTINGS.language
DRAWING = {
    "seed": SETTINGS.seed,
    "draws": STUDY.draws,
    "block_size": STUDY.block_size,
    "languages": list(STUDY.languages),
    "panel": STUDY.panel,
}
EMBEDDERS = [STUDY.measures.embedder, *STUDY.measures.alternative_embedders]
# Whether sessions wait for models, or compute their words themselves.
WAITS = any(MODELS[name]["provider"] != "simulated" for name in STUDY.panel)
# On a cluster: what stays with the process that submits jobs.
HELD_HERE = SETTINGS.sessions_on == "login"
EMBEDDED_HERE = HELD_HERE and not all(map(is_own, EMBEDDERS))


include: "language/inputs.smk"
include: "language/sessions.smk"
include: "language/measures.smk"
include: "language/estimates.smk"
include: "language/figures.smk"
include: "language/money.smk"


rule language:
    input:
        rules.code_pool.output,
        rules.draw_manifest.output,
        every_session,
        rules.gather_turns.output,
        of_shards("reuse"),
        of_shards("embeddings"),
        of_shards("calls"),
        rules.measure_homogeneity.output,
        rules.estimate_language_effect.output,
        rules.estimate_domains.output,
        rules.diagnose_design.output,
        rules.trace_specifications.output,
        rules.compute_power.output,
        FIGURES,
        TABLES,
        rules.gather_spending.output,
        rules.tabulate_spending.output,
