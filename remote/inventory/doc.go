// Package inventory reads cluster files: which hosts there are, how each is
// reached, and who plays the roles of an experiment.
//
//	hosts:
//	  node1: {ssh: alice@10.0.0.1, interfaces: {data: 192.168.0.1}, tags: [nic100g]}
//	  node2: {ssh: node2-alias}          # an alias of ~/.ssh/config
//	  red:   {of: node1, namespace: red} # a network namespace of node1
//	  fast:  {of: node1, cpus: 0-3}      # a CPU set of node1
//	  box:   {exec: [docker, exec, -i, box]}
//	  here:  {local: true}
//	roles:  {server: [node1], client: [node2]}
//	links:  {data: [node1.data, node2.data]}
//	groups: {left: [node1, node2], right: [node3, node4]}
//
// Words: a host is reached by exactly one of ssh, exec, local and of; without
// any of them its name is taken as its ssh destination. A group is a set of
// hosts on which one run at a time takes place; groups are disjoint.
//
// Invariant: all that is wrong with a file is said at once, as engine.Mistakes,
// each with its line and column. A Cluster that Read returned has no dangling
// name in it. It holds no secret and may be recorded as it stands.
//
// It deliberately reaches no host and reads no configuration of OpenSSH.
package inventory
