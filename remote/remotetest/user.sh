# user.sh DIR ARGV, in a mount namespace of its own: puts DIR's accounts in place
# of the machine's, and becomes the command.
set -e
for file in passwd group shadow sudoers; do mount --bind "$1/$file" "/etc/$file"; done
mount --bind "$1/host.lock" /tmp/mpf-host.lock
shift
exec "$@"
