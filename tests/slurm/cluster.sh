#!/usr/bin/env bash
# A Slurm of one node for the tests, all of whose state is in one folder.
#
#   cluster.sh available      says what is missing, if anything is
#   cluster.sh install        installs Debian's Slurm and munge if need be; says why where it cannot
#   cluster.sh start FOLDER   prints what a shell must evaluate to talk to this cluster
#   cluster.sh stop FOLDER    ends its jobs and its daemons; the folder, with their logs, stays
#
# It needs neither systemd nor cgroups nor a database, and root only to install packages. It cannot
# run where they can be neither found nor installed, or where processes may not listen on 127.0.0.1.
set -euo pipefail
callers_path=$PATH
PATH=$PATH:/usr/sbin:/sbin

fail() {
  echo "$1" >&2
  exit 1
}

missing() {
  local command
  for command in munged slurmctld slurmd sbatch srun squeue sinfo scancel scontrol; do
    command -v "$command" >/dev/null || echo "$command"
  done
}

available() {
  local lacking
  lacking=$(missing | xargs)
  [ -z "$lacking" ] ||
    fail "No Slurm here: $lacking not found; tests/slurm/cluster.sh install gets them from Debian."
}

install() {
  [ -n "$(missing)" ] || return 0
  command -v apt-get >/dev/null ||
    fail "No Slurm here: it is not installed, and without apt-get it cannot be."
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null ||
      fail "No Slurm here: it is not installed, and only root can install slurm-wlm and munge."
    root=(sudo -n)
  fi
  { "${root[@]}" timeout 120 apt-get update &&
    "${root[@]}" timeout 300 env DEBIAN_FRONTEND=noninteractive \
      apt-get install --yes --no-install-recommends slurm-wlm munge; } >/dev/null 2>&1 ||
    fail "No Slurm here: apt-get could not install slurm-wlm and munge; run it by hand to see why."
}

# Without cgroups, jobs are followed by their parents (linuxproc). An overridden node may promise more
# processors than there are. squeue, which has no database behind it, must remember ended jobs for
# longer than Snakemake takes to look. Jobs in `urgent` send those in `all` back to the queue.
configure() {
  local folder=$1 node user ports
  node=$(hostname -s)
  user=$(id -un)
  read -ra ports <<<"$(python3 -c '
import socket
two = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(one.getsockname()[1] for one in two))')"
  cat >"$folder/slurm.conf" <<CONF
ClusterName=tests
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmdPort=${ports[1]}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MailProg=/bin/true
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
MinJobAge=300
ReturnToService=2
NodeName=$node NodeAddr=127.0.0.1 CPUs=8 RealMemory=64000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES PriorityTier=1
PartitionName=urgent Nodes=ALL PriorityTier=2
CONF
}

# On a node, Snakemake calls srun without any variable of Slurm's, not even the one that names the
# configuration.
wrap_srun() {
  local folder=$1
  mkdir -p "$folder/bin"
  printf '#!/bin/sh\nSLURM_CONF=%q exec %q "$@"\n' "$SLURM_CONF" "$(command -v srun)" \
    >"$folder/bin/srun"
  chmod +x "$folder/bin/srun"
}

# Slurm resolves no name, nor even 127.0.0.1, on a machine that has no address but the loopback's.
give_address() {
  local folder=$1 address=192.0.2.1
  [ -z "$(hostname -I)" ] || return 0
  ip address add "$address/32" dev lo && echo "$address" >"$folder/address" ||
    fail "Slurm needs an address besides 127.0.0.1, and this machine allows none to be added."
}

# In a session of its own, or the calling shell would wait for the daemon.
launch() {
  local folder=$1 name=$2
  shift 2
  setsid "$@" </dev/null >>"$folder/$name.log" 2>&1 || explain "$folder" "$name did not start"
}

explain() {
  local folder=$1 name
  echo "$2. The last lines of the logs in $folder:" >&2
  for name in munged slurmctld slurmd; do
    [ -s "$folder/$name.log" ] && tail -n 5 "$folder/$name.log" | sed "s/^/$name: /" >&2
  done
  stop "$folder"
  exit 1
}

# Waits for up to $1 seconds until a command succeeds.
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 0.2
  done
}

idle() { [ "$(timeout 5 sinfo --noheader --format %T --partition all 2>/dev/null)" = idle ]; }
answers() { timeout 5 scontrol ping >/dev/null 2>&1; }
without_jobs() { [ -z "$(timeout 5 squeue --noheader 2>/dev/null)" ]; }
gone() { ! kill -0 "$1" 2>/dev/null; }

start() {
  local folder=$1
  # Each step has a socket in the spool, and the name of a socket holds 107 bytes.
  [ ${#folder} -le 60 ] || fail "$folder is too long for sockets in it: 60 characters at most."
  [ ! -e "$folder/slurm.conf" ] || fail "$folder holds a cluster already: stop it, and delete it."
  mkdir -p "$folder/state" "$folder/spool"
  (umask 077 && head -c 128 /dev/urandom >"$folder/munge.key")
  wrap_srun "$folder"
  give_address "$folder"
  configure "$folder"
  # munge wants a folder that all may enter, whoever asks; here it serves its own user alone.
  launch "$folder" munged munged --force --socket="$folder/munge.socket" \
    --key-file="$folder/munge.key" --seed-file="$folder/munge.seed" \
    --log-file="$folder/munged.log" --pid-file="$folder/munged.pid"
  launch "$folder" slurmctld slurmctld
  launch "$folder" slurmd slurmd
  within 30 idle || explain "$folder" "Slurm's node was not idle after 30 s"
  printf 'export SLURM_CONF=%q\nexport PATH=%q\n' "$SLURM_CONF" "$folder/bin:$callers_path"
}

stop() {
  local folder=$1 name process
  if answers; then
    # Jobs that will not end are killed after 5 s, the least that Slurm takes, and not after 30.
    echo KillWait=1 >>"$folder/slurm.conf"
    timeout 10 scontrol reconfigure || true
    timeout 10 scancel --user="$(id -un)" || true
    within 40 without_jobs || echo "Jobs of $folder have outlived their cancelling by 40 s." >&2
  fi
  for name in slurmd slurmctld munged; do
    process=$(cat "$folder/$name.pid" 2>/dev/null) || continue
    # The number may have passed to another process since.
    [ "$(cat "/proc/$process/comm" 2>/dev/null)" = "$name" ] || continue
    kill "$process"
    within 10 gone "$process" || kill -KILL "$process"
  done
  [ ! -e "$folder/address" ] || ip address delete "$(cat "$folder/address")/32" dev lo
  rm -f "$folder/address"
}

case "${1:-} ${2:+FOLDER}" in
  "available " | "install ") "$1" ;;
  "start FOLDER" | "stop FOLDER")
    mkdir -p "$2"
    folder=$(cd "$2" && pwd -P)
    export SLURM_CONF=$folder/slurm.conf
    "$1" "$folder"
    ;;
  *) fail "cluster.sh takes: available, install, start FOLDER or stop FOLDER." ;;
esac
