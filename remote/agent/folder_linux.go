package agent

import "os"

// namesIn are the names in a folder, in no order: what could be read of them.
func namesIn(folder string) []string {
	dir, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	return names
}
