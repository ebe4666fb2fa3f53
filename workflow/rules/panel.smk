# A panel of a run: all rules of a run, with the configuration of the panel, which stands in `config`.

from dissensus.run.shutdown import exit_on_user_error
from dissensus.study.configuration import load

SETTINGS = exit_on_user_error(load)(config)


include: "run.smk"


rule all:
    input:
        ALL,
    message:
        f"All results of panel {SETTINGS.panel}, in {RESULTS}"


describe_targets(own_rules())
