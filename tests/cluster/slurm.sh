#!/bin/bash
# Slurm on this machine, for `make test-slurm`: controller and one node, without accounting and without systemd.
#   slurm.sh install            packages, on Debian or Ubuntu, as root
#   slurm.sh start | stop       state in $SLURM_TEST; CPUS and MEMORY (MB) are those of the node, on paper
#   slurm.sh controller-start | controller-stop
# LIMIT=cgroup lets the kernel kill jobs for memory (state OUT_OF_MEMORY); without it Slurm looks every second.
set -eu
SLURM_TEST=${SLURM_TEST:-${TMPDIR:-/tmp}/slurm-test}
CPUS=${CPUS:-4}
MEMORY=${MEMORY:-32000}
LIMIT=${LIMIT:-poll}
NODE=$(hostname -s)
export SLURM_CONF=$SLURM_TEST/slurm.conf

write_config() {
    mkdir -p "$SLURM_TEST"/{log,state,spool}
    getent hosts "$NODE" >/dev/null || echo "127.0.0.1 $NODE" >>/etc/hosts
    if [ "$LIMIT" = cgroup ]; then
        tracking="ProctrackType=proctrack/cgroup
TaskPlugin=task/cgroup"
        printf '%s\n' ConstrainRAMSpace=yes AllowedSwapSpace=0 >"$SLURM_TEST/cgroup.conf"
        ln -sfn "$SLURM_TEST/cgroup.conf" /etc/slurm/cgroup.conf
    else
        tracking="ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherParams=OverMemoryKill"
        rm -f /etc/slurm/cgroup.conf
    fi
    cat >"$SLURM_CONF" <<CONF
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
    ln -sfn "$SLURM_CONF" /etc/slurm/slurm.conf # srun of a job drops SLURM_CONF from its environment
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

wait_for() { # command...: until it succeeds, for a minute
    for _ in $(seq 300); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.2
    done
    echo "slurm.sh: not up after a minute: $*" >&2
    return 1
}

idle() { sinfo -h -o %T | grep -q idle; }

case ${1:-} in
install)
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends slurm-wlm munge
    ;;
start)
    write_config
    install -d -o munge -g munge -m 755 /run/munge
    begin munged runuser -u munge -- munged --foreground
    wait_for munge -n
    begin slurmctld slurmctld -D -i
    wait_for scontrol ping
    begin slurmd slurmd -D -N "$NODE"
    wait_for idle
    ;;
controller-stop) end slurmctld -KILL ;;
controller-start)
    begin slurmctld slurmctld -D
    wait_for scontrol ping
    ;;
stop) for name in slurmd slurmctld munged; do end "$name"; done ;;
*)
    sed -n '2,6s/^# //p' "$0" >&2
    exit 2
    ;;
esac
