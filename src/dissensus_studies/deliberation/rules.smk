# What no stage of the deliberation study says: the debate graph of any session, from its transcript.
#
# in:    results/<run>/deliberation/: transcripts, manifest, topics
# out:   results/<run>/deliberation/graphs/<session>.svg
# steps: plot_graph
# Such as snakemake results/<run>/deliberation/graphs/t003-full.svg. Its measures and estimates are in study.py.

D = RESULTS / "deliberation"


use rule local_stage as plot_graph with:
    input:
        transcript=D / "transcripts/{session}.parquet",
        manifest=manifest_with_session("deliberation"),
        topics=D / "topics.parquet",
    output:
        svg=D / "graphs/{session}.svg",
    log:
        D / "logs/plot_graph/{session}.log",
    params:
        functions=["dissensus_studies.deliberation.figures.session_graph:plot_graph"],
        settings=of_session,
    message:
        "Draw the debate graph of session {wildcards.session}"
