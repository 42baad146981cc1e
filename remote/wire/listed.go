package wire

// The lists of the messages about commands. Their names are those of the types'
// tags.

func (r *Request) fields() ([]field, bool) {
	all := r.Attempt == nil && r.Ready == nil && !r.Watch && r.Process == 0 &&
		r.Path == "" && r.Limit == 0 && r.Port == 0 && r.Tools == nil && r.Paths == nil
	return []field{{"do", &r.Do}, {"ws", &r.Workspace}, {"command", &r.Command}}, all
}

func (c *Command) fields() [6]field {
	return [...]field{
		{"argv", &c.Argv}, {"env", &c.Env}, {"dir", &c.Dir}, {"stdin_file", &c.StdinFile},
		{"timeout", &c.Timeout}, {"sudo", &c.Sudo},
	}
}

func (r *Response) fields() ([]field, bool) {
	all := r.Error == nil && r.Opened == nil && r.Closed == nil && r.Clock == nil &&
		r.Fenced == nil && r.Facts == nil && r.Message == ""
	return []field{{"exit", &r.Exit}}, all
}

func (e *Exit) fields() [10]field {
	return [...]field{
		{"code", &e.Code}, {"signal", &e.Signal}, {"timed_out", &e.TimedOut}, {"stopped", &e.Stopped},
		{"started", &e.Started}, {"seconds", &e.Seconds}, {"suspended", &e.Suspended},
		{"stdout", &e.Stdout}, {"stderr", &e.Stderr}, {"usage", &e.Usage},
	}
}

func (c *Captured) fields() [2]field {
	return [...]field{{"size", &c.Size}, {"kept", &c.Kept}}
}

func (u *Usage) fields() [16]field {
	return [...]field{
		{"utime", &u.UserSeconds}, {"stime", &u.SystemSeconds}, {"maxrss", &u.MaxRSS},
		{"ixrss", &u.SharedText}, {"idrss", &u.UnsharedData}, {"isrss", &u.UnsharedStack},
		{"minflt", &u.MinorFaults}, {"majflt", &u.MajorFaults}, {"nswap", &u.Swaps},
		{"inblock", &u.BlocksIn}, {"oublock", &u.BlocksOut},
		{"msgsnd", &u.MessagesSent}, {"msgrcv", &u.MessagesReceived}, {"nsignals", &u.Signals},
		{"nvcsw", &u.VoluntarySwitches}, {"nivcsw", &u.InvoluntarySwitches},
	}
}
