# slurm.sh DIR PORT, in mount, uts and pid namespaces of its own: a cluster of
# one node that is this machine, by the files in DIR.
set -e
dir=$1
hostname node1
mkdir -m 755 "$dir/state" "$dir/spool" "$dir/munge"
head -c 64 /dev/urandom >"$dir/munge/key"
chmod 400 "$dir/munge/key"
cat >"$dir/slurm.conf" <<CONFIG
ClusterName=test
SlurmctldHost=node1(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$dir/munge/socket
SlurmctldPort=$2
SlurmdPort=$(($2 + 1))
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SchedulerType=sched/builtin
SelectType=select/linear
PropagateResourceLimits=NONE
ReturnToService=2
KillWait=1
NodeName=node1 NodeAddr=127.0.0.1 CPUs=$(nproc)
PartitionName=all Nodes=node1 Default=YES OverSubscribe=FORCE:8
CONFIG
export SLURM_CONF="$dir/slurm.conf"
munged --force --foreground --key-file "$dir/munge/key" --socket "$dir/munge/socket" \
	--pid-file "$dir/munge/pid" --log-file "$dir/munge/log" --seed-file "$dir/munge/seed" &
slurmctld -D -i &
slurmd -D -N node1 &
wait
