# What a process of Snakemake does once, however many panels its run has.
#
# in:    the configuration, as Snakemake merged it
# out:   SETTINGS of the whole run; its lock, its progress and its end

import os
import time
from pathlib import Path

# Jobs run side by side; and with more threads BLAS adds in another order, to other last bits. Scripts order their sets
# alike, so that a session that goes on in another process asks what its journal has.
os.environ.update(OPENBLAS_NUM_THREADS="1", PYTHONHASHSEED="0")

from dissensus.garbage import collect_seldom
from dissensus.keep.replay import begin_from_archive
from dissensus.llm.model_files import ModelFiles
from dissensus.shipped import link_home
from dissensus.study.configuration import check_keys, load
from dissensus.study.registry import complete, package_of
from dissensus.plan.preflight import check_inputs, check_measures, check_place
from dissensus.run.ending import ending, planned
from dissensus.run.rules import temporary_folders, without_job_rate_limit
from dissensus.run.run_folder import RunLock, write_privately
from dissensus.run.shutdown import before_exit, exit_on_user_error, say_last
from dissensus.run.stage_log import forward_warnings
from dissensus.run.start import start_run
from dissensus.run.targets import TARGETS
from dissensus.run.warm_scripts import OVER_HTTP, fork_scripts
from snakemake_logger_plugin_dissensus import close
from snakemake_logger_plugin_dissensus.board import BOARD

collect_seldom()
before_exit(close)
forward_warnings(logger)
STARTED = time.time()
# What goes with this process, however it ends.
TEMPORARY = temporary_folders(workflow)
for folder in TEMPORARY:
    before_exit(folder.cleanup)

if workflow.is_main_process:
    exit_on_user_error(check_place)(Path.cwd())
    exit_on_user_error(check_keys)(workflow.configfiles)
    link_home()
exit_on_user_error(complete)(config)
SETTINGS = exit_on_user_error(load)(
    config, ", ".join(map(str, workflow.configfiles)) or "config.yaml"
)
if SETTINGS.private:
    write_privately()
if workflow.is_main_process:
    for sentence in ModelFiles.of(config, "", package_of).former:
        logger.warning(sentence)
    for part in SETTINGS.parts:
        exit_on_user_error(check_inputs)(part)
    exit_on_user_error(begin_from_archive)(SETTINGS)
    fork_scripts(OVER_HTTP if SETTINGS.waits else ())
RESULTS = SETTINGS.results
ENVIRONMENT = workflow.current_basedir.join(
    "../../envs/dissensus.yaml"
).get_path_or_uri(secret_free=True)
LOCK = RunLock(SETTINGS.home(RESULTS))
# The files that connect the jobs: of the run, or of each of its panels.
GRAPHS = []
BOARD.recount = lambda: sum(graph.done() for graph in GRAPHS)
BOARD.planned = lambda stats, expected: planned(stats, expected, SETTINGS)


onstart:
    without_job_rate_limit(workflow)
    exit_on_user_error(start_run)(
        SETTINGS, RESULTS, LOCK, BOARD, workflow.local_exec, TEMPORARY
    )
    for graph in GRAPHS:
        for sentence in exit_on_user_error(check_measures)(
            graph.settings, graph.pending_studies(), workflow.dag_settings.targets
        ):
            logger.warning(sentence)


onsuccess:
    # Imported here: to load tables takes long, and dry runs read none.
    from dissensus.keep.published import compare_with_published

    for line in [
        *ending(SETTINGS, STARTED),
        *compare_with_published(SETTINGS, STARTED),
    ]:
        say_last(line)
