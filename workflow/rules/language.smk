# The language study: a randomised trial of prompt language on the homogeneity of debates.
#
# in:    resources/motions, resources/prompts/language, the settings under `language`
# out:   results/<run>/language/: pool, reliability, manifest, sessions, transcripts, calls, turns,
#        metrics, estimates, tables, figures
# steps: design.smk     code the pool, draw the manifest
#        (sessions are held and gathered as in every study: ../sessions.smk)
#        measures.smk   embed, measure, anchor
#        estimates.smk  every test, interval and diagnosis
#        figures.smk    tables, figures and their captions

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
# On a cluster: what stays with the process that submits jobs.
EMBEDDED_HERE = RUN_HERE and not all(map(is_own, EMBEDDERS))


include: "language/design.smk"
include: "language/measures.smk"
include: "language/estimates.smk"
include: "language/figures.smk"


rule language:
    input:
        rules.code_pool.output,
        rules.draw_manifest.output,
        every_session("language"),
        L / "turns.parquet",
        of_shards("reuse", "language"),
        of_shards("embeddings", "language"),
        of_shards("calls", "language"),
        rules.measure_homogeneity.output,
        rules.estimate_language_effect.output,
        rules.estimate_domains.output,
        rules.diagnose_design.output,
        rules.trace_specifications.output,
        rules.compute_power.output,
        FIGURES,
        TABLES,
        money_of("language"),
