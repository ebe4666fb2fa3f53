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

L = RESULTS / "language"
STUDY = SETTINGS.language


include: "language/inputs.smk"
include: "language/sessions.smk"
include: "language/measures.smk"


rule language:
    input:
        every_session,
        L / "turns.parquet",
        L / "metrics.parquet",
