# What no stage of the language study says: a page with a caption of its own.
#
# in:    results/<run>/language/: reuse, turns, manifest, pool
# out:   results/<run>/language/tables/: recycled_speeches
# steps: compare_speeches
# Its measures and estimates are in stages.py.

L = RESULTS / "language"


use rule local_stage as compare_speeches with:
    input:
        **tables(L, "reuse", "turns", "manifest", "pool"),
        caption=caption_of(SETTINGS, "language", "recycled_speeches"),
    output:
        html=report(
            L / "tables/recycled_speeches.html",
            caption=captions("language") / "recycled_speeches.rst",
            category=f"{OF_PANEL}language",
            subcategory="5 Case study",
            labels={"result": "The most and the least recycled speeches"},
        ),
        markdown=L / "tables/recycled_speeches.md",
        caption=L / "captions/recycled_speeches.rst",
    params:
        functions=["dissensus_studies.language.figures.speeches:compare_speeches"],
        settings=given(view=view_settings(STUDIES["language"])),
    message:
        "Put the extreme speeches side by side"
