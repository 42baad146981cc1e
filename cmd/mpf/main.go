// Command mpf runs evaluation experiments on hosts and keeps their results.
package main

func main() {}
