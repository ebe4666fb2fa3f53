# What readers see, in the order in which they see it: figures with their captions, tables, speeches.

from dissensus.language import figures as language_figures

# A caption's numbers are the run's own: the rule that draws a figure fills its caption's template,
# and the report reads what it wrote.
CAPTIONS = captions("language")
VIEW = {
    "study": "language",
    "reference": STUDY.reference,
    "primary": STUDY.measures.primary,
    "paper_scale": STUDY.measures.paper_scale,
    "confidence": STUDY.inference.confidence,
    "draws": STUDY.draws,
    "saturation_warning": STUDY.inference.saturation_warning,
}
TABLE_NAMES = [table.name for table in language_figures.TABLES]


rule plot_flow:
    input:
        pool=L / "pool.parquet",
        manifest=L / "manifest.parquet",
        outcomes=L / "outcomes.parquet",
        caption="workflow/report/language_flow.rst",
    output:
        svg=report(
            L / "figures/flow.svg",
            caption=CAPTIONS / "flow.rst",
            category="language",
            subcategory="1 Design",
            labels={"result": "Figure 1. From the motion pool to complete draws"},
        ),
        png=L / "figures/flow.png",
        caption=L / "captions/flow.rst",
    log:
        L / "logs/plot_flow.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.figures.flow",
            "report.captions",
            **VIEW,
        ),
    message:
        "Draw the flow of draws and sessions"
    script:
        "../../scripts/study/plot.py"


rule plot_power:
    input:
        power=L / "power.parquet",
        effect=L / "language_effect.parquet",
        caption="workflow/report/language_power.rst",
    output:
        svg=report(
            L / "figures/power.svg",
            caption=CAPTIONS / "power.rst",
            category="language",
            subcategory="1 Design",
            labels={"result": "Figure 2. What the study could find"},
        ),
        png=L / "figures/power.png",
        caption=L / "captions/power.rst",
    log:
        L / "logs/plot_power.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.figures.power",
            "report.captions",
            **VIEW,
        ),
    message:
        "Draw the power of the study"
    script:
        "../../scripts/study/plot.py"


rule plot_paired_effects:
    input:
        metrics=L / "metrics.parquet",
        effect=L / "language_effect.parquet",
        caption="workflow/report/language_paired_effects.rst",
    output:
        svg=report(
            L / "figures/paired_effects.svg",
            caption=CAPTIONS / "paired_effects.rst",
            category="language",
            subcategory="2 Language effect",
            labels={"result": "Figure 3. The effect, draw by draw"},
        ),
        png=L / "figures/paired_effects.png",
        caption=L / "captions/paired_effects.rst",
    log:
        L / "logs/plot_paired_effects.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.figures.paired_effects",
            "report.captions",
            **VIEW,
        ),
    message:
        "Draw the paired effects"
    script:
        "../../scripts/study/plot.py"


rule plot_components:
    input:
        metrics=L / "metrics.parquet",
        effect=L / "language_effect.parquet",
        caption="workflow/report/language_components.rst",
    output:
        svg=report(
            L / "figures/components.svg",
            caption=CAPTIONS / "components.rst",
            category="language",
            subcategory="2 Language effect",
            labels={"result": "Figure 4. Words or meaning: the components of the index"},
        ),
        png=L / "figures/components.png",
        caption=L / "captions/components.rst",
    log:
        L / "logs/plot_components.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.figures.components",
            "report.captions",
            **VIEW,
        ),
    message:
        "Draw the components of the index"
    script:
        "../../scripts/study/plot.py"


rule plot_specifications:
    input:
        curve=L / "specification_curve.parquet",
        tests=L / "specification_tests.parquet",
        caption="workflow/report/language_specifications.rst",
    output:
        svg=report(
            L / "figures/specifications.svg",
            caption=CAPTIONS / "specifications.rst",
            category="language",
            subcategory="3 Robustness",
            labels={"result": "Figure 5. The effect under every choice of measure"},
        ),
        png=L / "figures/specifications.png",
        caption=L / "captions/specifications.rst",
    log:
        L / "logs/plot_specifications.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.figures.specifications",
            "report.captions",
            **VIEW,
        ),
    message:
        "Draw the specification curve"
    script:
        "../../scripts/study/plot.py"


rule plot_saturation:
    input:
        metrics=L / "metrics.parquet",
        saturation=L / "saturation.parquet",
        caption="workflow/report/language_saturation.rst",
    output:
        svg=report(
            L / "figures/saturation.svg",
            caption=CAPTIONS / "saturation.rst",
            category="language",
            subcategory="3 Robustness",
            labels={"result": "Figure 6. Which bounded scales have run out"},
        ),
        png=L / "figures/saturation.png",
        caption=L / "captions/saturation.rst",
    log:
        L / "logs/plot_saturation.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.figures.saturation",
            "report.captions",
            **VIEW,
        ),
    message:
        "Draw the distributions on the bounded scales"
    script:
        "../../scripts/study/plot.py"


rule plot_domains:
    input:
        metrics=L / "metrics.parquet",
        domains=L / "domains.parquet",
        tests=L / "domain_tests.parquet",
        effect=L / "language_effect.parquet",
        caption="workflow/report/language_domains.rst",
    output:
        svg=report(
            L / "figures/domains.svg",
            caption=CAPTIONS / "domains.rst",
            category="language",
            subcategory="4 Domains",
            labels={"result": "Figure 7. Means and language effects by domain"},
        ),
        png=L / "figures/domains.png",
        caption=L / "captions/domains.rst",
    log:
        L / "logs/plot_domains.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.figures.domains",
            "report.captions",
            **VIEW,
        ),
    message:
        "Draw the domains"
    script:
        "../../scripts/study/plot.py"


rule plot_reuse:
    input:
        reuse=L / "reuse.parquet",
        caption="workflow/report/language_reuse.rst",
    output:
        svg=report(
            L / "figures/reuse.svg",
            caption=CAPTIONS / "reuse.rst",
            category="language",
            subcategory="5 Case study",
            labels={"result": "Figure 8. How much speakers recycle"},
        ),
        png=L / "figures/reuse.png",
        caption=L / "captions/reuse.rst",
    log:
        L / "logs/plot_reuse.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.figures.reuse",
            "report.captions",
            **VIEW,
        ),
    message:
        "Draw within-role reuse"
    script:
        "../../scripts/study/plot.py"


rule compare_speeches:
    input:
        reuse=L / "reuse.parquet",
        turns=L / "turns.parquet",
        manifest=L / "manifest.parquet",
        pool=L / "pool.parquet",
        caption="workflow/report/language_recycled_speeches.rst",
    output:
        html=report(
            L / "tables/recycled_speeches.html",
            caption=CAPTIONS / "recycled_speeches.rst",
            category="language",
            subcategory="5 Case study",
            labels={"result": "The most and the least recycled speeches"},
        ),
        markdown=L / "tables/recycled_speeches.md",
        caption=L / "captions/recycled_speeches.rst",
    log:
        L / "logs/compare_speeches.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage("language.figures.speeches", "report.captions", **VIEW),
    message:
        "Put the extreme speeches side by side"
    script:
        "../../scripts/study/write_page.py"


rule tabulate:
    input:
        pool=L / "pool.parquet",
        reliability=L / "reliability.parquet",
        outcomes=L / "outcomes.parquet",
        metrics=L / "metrics.parquet",
        effect=L / "language_effect.parquet",
        saturation=L / "saturation.parquet",
        domains=L / "domains.parquet",
        contrasts=L / "domain_contrasts.parquet",
        tests=L / "domain_tests.parquet",
        diagnostics=L / "diagnostics.parquet",
        power=L / "power.parquet",
        caption="workflow/report/language_tables.rst",
    output:
        csv=expand(L / "tables/{name}.csv", name=TABLE_NAMES),
        markdown=expand(L / "tables/{name}.md", name=TABLE_NAMES),
        page=report(
            L / "tables/tables.html",
            caption=CAPTIONS / "tables.rst",
            category="language",
            subcategory="6 Tables",
            labels={"result": "All tables"},
        ),
        caption=L / "captions/tables.rst",
    log:
        L / "logs/tabulate.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.figures.paper_tables",
            "language.figures.printed",
            "language.figures.study_tables",
            "report.captions",
            "language.inference.domain_tests",
            "language.inference.estimators",
            **VIEW,
        ),
    message:
        "Write the tables"
    script:
        "../../scripts/study/tabulate.py"


FIGURES = [
    rules.plot_flow.output,
    rules.plot_power.output,
    rules.plot_paired_effects.output,
    rules.plot_components.output,
    rules.plot_specifications.output,
    rules.plot_saturation.output,
    rules.plot_domains.output,
    rules.plot_reuse.output,
]
TABLES = [rules.compare_speeches.output, rules.tabulate.output]
