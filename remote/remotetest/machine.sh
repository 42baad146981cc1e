#!/bin/bash
# The first process of a machine, in namespaces of its own (mount, uts, ipc, net,
# pid): makes its disk, its name and its users, then serves ssh.
#
# machine.sh NAME DIR ADDRESS HOSTS: DIR holds upper, work, root, boot_id and host
set -euo pipefail
name=$1 dir=$2 address=$3 hosts=$4 root=$2/root
hostname "$name"
mount --make-rprivate /
# The disk is this machine's, and what changes on it the machine's own: it
# outlives a reboot and ends with the fixture.
mount -t overlay overlay -o "lowerdir=/,upperdir=$dir/upper,workdir=$dir/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount --rbind /dev "$root/dev"
for t in dev/shm run tmp; do mount -t tmpfs -o mode=1777 tmpfs "$root/$t"; done
mount --bind "$dir/boot_id" "$root/proc/sys/kernel/random/boot_id"
mkdir -p "$root/run/sshd" "$root/root/.ssh" "$root/home/alice/.ssh" "$root/mnt"
chmod 755 "$root/run" "$root/run/sshd"
grep -q ^alice: "$root/etc/passwd" || {
  echo alice:x:4242:4242::/home/alice:/bin/bash >>"$root/etc/passwd"
  echo alice:x:4242: >>"$root/etc/group"
  echo 'alice:*:19000:0:99999:7:::' >>"$root/etc/shadow"
}
for home in root home/alice; do
  cp "$dir/authorized_keys" "$root/$home/.ssh/authorized_keys"
  chmod 700 "$root/$home" "$root/$home/.ssh"
done
chown -R 4242:4242 "$root/home/alice"
echo "$name" >"$root/etc/hostname"
{ echo 127.0.0.1 localhost; echo "$hosts"; } >"$root/etc/hosts"
cp "$dir/host" "$root/etc/ssh/test_host_key"
cat >"$root/etc/ssh/sshd_config" <<CONFIG
Port 22
ListenAddress $address
HostKey /etc/ssh/test_host_key
UsePAM no
PermitRootLogin prohibit-password
PasswordAuthentication no
Subsystem sftp internal-sftp
PrintMotd no
MaxStartups 100
CONFIG
cd "$root"
pivot_root . mnt
umount -l /mnt
exec env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin /bin/bash -c '
/usr/sbin/sshd -D -e &
while :; do wait; sleep 0.2; done' # bash reaps what is orphaned
