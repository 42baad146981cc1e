package fsys

import "syscall"

// OnNetwork reports whether a path lies on a network file system, whose locks
// and syncs promise less than those of a disk.
func OnNetwork(path string) bool {
	var s syscall.Statfs_t
	if syscall.Statfs(path, &s) != nil {
		return false
	}
	switch uint32(s.Type) {
	case 0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546: // nfs, smb, cifs, smb2, fuse
		return true
	}
	return false
}
