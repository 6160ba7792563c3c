#!/bin/bash
# Slurm on this machine, for `make test-slurm`: controller and one node, without accounting and without systemd.
#   slurm.sh install            packages, on Debian or Ubuntu, as root
#   slurm.sh run COMMAND...     with /etc/slurm, /etc/hosts and processes of its own: nothing of them is left at its end,
#                               but the logs in $SLURM_TEST where COMMAND failed
# and inside COMMAND
#   slurm.sh start | stop       CPUS and MEMORY (MB) are those of the node, on paper
#   slurm.sh controller-start | controller-stop
# LIMIT=cgroup lets the kernel kill jobs for memory (state OUT_OF_MEMORY); without it Slurm looks every second.
set -eu
CPUS=${CPUS:-4}
MEMORY=${MEMORY:-32000}
LIMIT=${LIMIT:-poll}
NODE=$(hostname -s)

write_config() {
    mkdir -p "$SLURM_TEST"/{log,state,spool}
    if [ "$LIMIT" = cgroup ]; then
        tracking="ProctrackType=proctrack/cgroup
TaskPlugin=task/cgroup"
        printf '%s\n' ConstrainRAMSpace=yes AllowedSwapSpace=0 >/etc/slurm/cgroup.conf
    else
        tracking="ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherParams=OverMemoryKill"
        rm -f /etc/slurm/cgroup.conf
    fi
    cat >/etc/slurm/slurm.conf <<CONF
ClusterName=test
SlurmctldHost=$NODE(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
$tracking
StateSaveLocation=$SLURM_TEST/state
SlurmdSpoolDir=$SLURM_TEST/spool
SlurmctldPidFile=$SLURM_TEST/slurmctld.pid
SlurmdPidFile=$SLURM_TEST/slurmd.pid
SlurmctldLogFile=$SLURM_TEST/log/slurmctld.log
SlurmdLogFile=$SLURM_TEST/log/slurmd.log
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=sched_interval=5,bf_interval=5
MpiDefault=none
DefMemPerCPU=1000
SlurmdParameters=config_overrides
ReturnToService=2
MinJobAge=300
KillWait=5
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
NodeName=$NODE NodeAddr=127.0.0.1 CPUs=$CPUS RealMemory=$MEMORY State=UNKNOWN
PartitionName=main Nodes=$NODE Default=YES DefaultTime=10 MaxTime=7-0 State=UP
CONF
}

begin() { # name, command...: a process of its own session, whose number is kept
    local name=$1
    shift
    setsid nohup "$@" >>"$SLURM_TEST/log/$name.out" 2>&1 </dev/null &
    echo $! >"$SLURM_TEST/$name.id"
}

end() {
    [ -f "$SLURM_TEST/$1.id" ] || return 0
    kill "${2:--TERM}" "$(cat "$SLURM_TEST/$1.id")" 2>/dev/null || true
    rm -f "$SLURM_TEST/$1.id"
}

wait_for() { # command...: until it succeeds, for a minute of the clock
    local end=$((SECONDS + 60))
    until timeout 10 "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || { echo "slurm.sh: not up after a minute: $*" >&2; return 1; }
        sleep 0.2
    done
}

case ${1:-} in
install)
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends slurm-wlm munge
    ;;
run)
    shift
    SLURM_TEST=$(mktemp -d)
    export SLURM_TEST
    # The kernel ends all processes of the command's, the daemons among them, with the first.
    exec unshare --mount --pid --fork --kill-child --mount-proc "$0" inside "$@"
    ;;
inside)
    shift
    mkdir "$SLURM_TEST/etc"
    { cat /etc/hosts; echo "127.0.0.1 $NODE"; } >"$SLURM_TEST/hosts"
    mount --bind "$SLURM_TEST/etc" /etc/slurm
    mount --bind "$SLURM_TEST/hosts" /etc/hosts
    mkdir -p /run/munge
    mount -t tmpfs tmpfs /run/munge
    "$@" && rm -rf "$SLURM_TEST" # no exec: the first process of a namespace has to take in orphans
    ;;
start)
    write_config
    chown munge:munge /run/munge
    begin munged runuser -u munge -- munged --foreground
    wait_for munge -n
    begin slurmctld slurmctld -D -i
    wait_for scontrol ping
    begin slurmd slurmd -D -N "$NODE"
    wait_for sh -c "sinfo -h -o %T | grep -q idle"
    ;;
controller-stop) end slurmctld -KILL ;;
controller-start)
    begin slurmctld slurmctld -D
    wait_for scontrol ping
    ;;
stop) for name in slurmd slurmctld munged; do end "$name"; done ;;
*)
    sed -n '2,9s/^# //p' "$0" >&2
    exit 2
    ;;
esac
