#!/bin/sh
# Runs GitHub's own runner for one job: run.sh <its folder> --jitconfig-file <path>
#
# The runner writes its configuration next to its binaries, so each one gets a folder of its own: a copy, because through a
# hard link a job could change the runner of the next. Where the file system can, copies share their blocks until written.
set -eu

[ $# -eq 3 ] && [ "$2" = --jitconfig-file ] || {
  echo "run.sh: expected <folder of GitHub's runner> --jitconfig-file <path>, got: $*" >&2
  exit 78
}
[ -x "$1/run.sh" ] || {
  echo "run.sh: expected GitHub's runner in $1, found no run.sh that can be started" >&2
  exit 78
}

mkdir runner
cp -a --reflink=auto "$1/." runner 2>/dev/null || { rm -rf runner && mkdir runner && cp -a "$1/." runner; }

# What a launcher left in our folder for the job's log.
[ ! -f .setup_info ] || cp .setup_info runner/.setup_info

# Not as an argument, which every process on the machine can read; the runner clears it before it runs a job.
ACTIONS_RUNNER_INPUT_JITCONFIG=$(cat "$3")
export ACTIONS_RUNNER_INPUT_JITCONFIG
rm -f "$3"
exec runner/run.sh
