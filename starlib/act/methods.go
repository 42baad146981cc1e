package act

import "slices"

// methods lists what ctx does, in the order of the language reference.
func methods() []method {
	return slices.Concat(commandMethods(), fileMethods(), clusterMethods(), meetingMethods(), reportMethods())
}
