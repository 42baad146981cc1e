package inventory

import "strings"

// starter is a first cluster file, to be changed.
const starter = `# The hosts of an experiment, for mpf run -c cluster.yaml FILE.
# OpenSSH's configuration, known hosts and agent are used as they are; nothing
# has to be installed on a host. See how they are reached with:
# mpf hosts -c cluster.yaml
hosts:
  # user@host, user@host:port or an alias of ~/.ssh/config
  node1: {ssh: alice@192.0.2.1}
  # with the addresses that other hosts reach it at, by name, and tags
  # node2: {ssh: node2-alias, interfaces: {data: 10.0.0.2}, tags: [nic100g]}

# which hosts play which role of the experiment
roles:
  ROLE: [node1]

# the two ends of a link
# links: {data: [node1.data, node2.data]}
`

// Starter returns the text of a first cluster file in which one host plays a role.
func Starter(role string) string { return strings.Replace(starter, "ROLE", role, 1) }
