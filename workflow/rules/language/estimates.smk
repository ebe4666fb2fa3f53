# From metrics to estimates: effect, saturation, domains, diagnostics, specifications, power.


rule estimate_language_effect:
    input:
        metrics=L / "metrics.parquet",
    output:
        effect=L / "language_effect.parquet",
        saturation=L / "saturation.parquet",
    log:
        L / "logs/estimate_language_effect.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.inference.effect",
            "language.inference.saturation",
            inference=STUDY.inference,
            reference=STUDY.reference,
            primary=STUDY.measures.primary,
            paper_scale=STUDY.measures.paper_scale,
            anchors=STUDY.measures.anchors,
            seed=SETTINGS.seed,
        ),
    message:
        "Estimate the effect of the language"
    script:
        "../../scripts/language/estimate_language_effect.py"


rule estimate_domains:
    input:
        metrics=L / "metrics.parquet",
        pool=L / "pool.parquet",
    output:
        domains=L / "domains.parquet",
        contrasts=L / "domain_contrasts.parquet",
        tests=L / "domain_tests.parquet",
    log:
        L / "logs/estimate_domains.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.inference.domains",
            "language.inference.domain_tests",
            inference=STUDY.inference,
            reference=STUDY.reference,
            scales=[STUDY.measures.primary, STUDY.measures.paper_scale],
            seed=SETTINGS.seed,
        ),
    message:
        "Estimate and compare the domains"
    script:
        "../../scripts/language/estimate_domains.py"


rule diagnose_design:
    input:
        manifest=L / "manifest.parquet",
        outcomes=L / "outcomes.parquet",
        pool=L / "pool.parquet",
    output:
        diagnostics=L / "diagnostics.parquet",
    log:
        L / "logs/diagnose_design.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.inference.diagnostics",
            panel=STUDY.panel,
            reference=STUDY.reference,
            inference=STUDY.inference,
            seed=SETTINGS.seed,
        ),
    message:
        "Check randomisation, attrition and compliance"
    script:
        "../../scripts/language/diagnose_design.py"


rule trace_specifications:
    input:
        components=L / "components.parquet",
        metrics=L / "metrics.parquet",
    output:
        curve=L / "specification_curve.parquet",
        tests=L / "specification_tests.parquet",
    log:
        L / "logs/trace_specifications.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.inference.specification",
            reference=STUDY.reference,
            measures=STUDY.measures,
            inference=STUDY.inference,
            seed=SETTINGS.seed,
        ),
    message:
        "Estimate the effect under every choice of measure"
    script:
        "../../scripts/language/trace_specifications.py"


rule compute_power:
    input:
        metrics=L / "metrics.parquet",
    output:
        power=L / "power.parquet",
    log:
        L / "logs/compute_power.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.inference.power",
            reference=STUDY.reference,
            primary=STUDY.measures.primary,
            draws=STUDY.draws,
            effects=STUDY.diagnosis.effects,
            confidence=STUDY.inference.confidence,
        ),
    message:
        "Compute power and the smallest detectable effect"
    script:
        "../../scripts/language/compute_power.py"


# A target of its own: thousands of simulated studies, some minutes.
rule diagnose_estimators:
    input:
        pool=L / "pool.parquet",
    output:
        diagnosis=L / "design_diagnosis.parquet",
        csv=L / "tables/table_diagnosis.csv",
        markdown=L / "tables/table_diagnosis.md",
    log:
        L / "logs/diagnose_estimators.log",
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.inference.diagnosis",
            "language.figures.study_tables",
            drawing=DRAWING,
            diagnosis=STUDY.diagnosis,
            confidence=STUDY.inference.confidence,
            seed=SETTINGS.seed,
        ),
    message:
        "Run planted effects through the design and the estimators"
    script:
        "../../scripts/language/diagnose_estimators.py"
