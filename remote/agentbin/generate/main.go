// Command generate makes the agents that a built mpf carries.
package main

import (
	"context"
	"fmt"
	"os"

	"mpf/remote/agentbin"
)

func main() {
	sizes, err := agentbin.Generate(context.Background())
	if err != nil {
		fmt.Fprintf(os.Stderr, "generate: error: %v\n", err)
		os.Exit(1)
	}
	for name, size := range sizes {
		fmt.Printf("%s: %d bytes unpacked\n", name, size)
	}
}
