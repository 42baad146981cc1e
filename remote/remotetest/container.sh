# container.sh DIR, in mount and pid namespaces of its own: serves containers by a
# socket in DIR. The engine needs the second version's control groups alone.
set -e
umount -l /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup
exec dockerd --host "unix://$1/socket" --data-root "$1/data" --exec-root "$1/exec" --pidfile "$1/pid" \
	--bridge=none --iptables=false --ip6tables=false --storage-driver vfs --exec-opt native.cgroupdriver=cgroupfs
