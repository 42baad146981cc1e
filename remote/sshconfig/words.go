package sshconfig

import (
	"fmt"
	"slices"
	"strings"

	"mpf/engine"
)

// aliases are older names of words.
var aliases = map[string]string{
	"identityfile2": "identityfile", "pubkeyacceptedkeytypes": "pubkeyacceptedalgorithms", "dsaauthentication": "pubkeyauthentication",
	"smartcarddevice": "pkcs11provider",
}

// supported are the words of which the first value is used.
var supported = []string{
	"addressfamily", "bindaddress", "bindinterface", "canonicaldomains", "canonicalizefallbacklocal", "canonicalizehostname",
	"canonicalizemaxdots", "canonicalizepermittedcnames", "casignaturealgorithms", "ciphers", "connecttimeout", "globalknownhostsfile",
	"hostkeyalgorithms", "hostkeyalias", "hostname", "identitiesonly", "identityagent", "ignoreunknown", "kexalgorithms",
	"macs", "port", "proxycommand", "proxyjump", "pubkeyacceptedalgorithms",
	"requiredrsasize", "revokedhostkeys", "tag", "user", "userknownhostsfile",
}

// unheeded are words that would change who is let in or trusted, why they do
// not, and the values that change nothing.
var unheeded = map[string]struct {
	why   string
	quiet []string
}{
	"stricthostkeychecking":            {"keys are always checked", []string{"yes", "true", "ask"}},
	"nohostauthenticationforlocalhost": {"keys are always checked", []string{"no", "false"}},
	"verifyhostkeydns":                 {"keys are looked up in known_hosts only", []string{"no", "false", "ask"}},
	"knownhostscommand":                {"keys are looked up in known_hosts only", []string{"none"}},
	"gssapikeyexchange":                {"keys are looked up in known_hosts only", []string{"no", "false"}},
	"pubkeyauthentication":             {"keys are the only way to log in", []string{"yes", "true", "unbound", "host-bound"}},
	"hostbasedauthentication":          {"keys are the only way to log in", []string{"no", "false"}},
	"pkcs11provider":                   {"its keys work through the ssh-agent: ssh-add -s", []string{"none"}},
	"securitykeyprovider":              {"its keys work through the ssh-agent: ssh-add -S", []string{"internal"}},
}

// harmless are words that make no difference to a connection of this program,
// which has one channel, no terminal and no forwarding; and words that ssh
// itself ignores.
var harmless = strings.Fields(`
	addkeystoagent afstokenpassing batchmode challengeresponseauthentication channeltimeout checkhostip cipher
	clearallforwardings compression compressionlevel connectionattempts controlmaster controlpath controlpersist
	dynamicforward enableescapecommandline enablesshkeysign escapechar exitonforwardfailure fallbacktorsh
	fingerprinthash forkafterauthentication forwardagent forwardx11 forwardx11timeout forwardx11trusted gatewayports
	globalknownhostsfile2 gssapiauthentication gssapiclientidentity gssapidelegatecredentials gssapikexalgorithms
	gssapirenewalforcesrekey gssapiserveridentity gssapitrustdns hashknownhosts hostbasedacceptedalgorithms
	hostbasedkeytypes ipqos kbdinteractiveauthentication kbdinteractivedevices keepalive kerberosauthentication
	kerberostgtpassing localcommand localforward loglevel logverbose numberofpasswordprompts obscurekeystroketiming
	passwordauthentication permitlocalcommand permitremoteopen preferredauthentications protocol protocolkeepalives proxyusefdpass
	rekeylimit remotecommand remoteforward requesttty rhostsauthentication rhostsrsaauthentication rsaauthentication
	sendenv serveralivecountmax serveraliveinterval sessiontype setenv setuptimeout skeyauthentication stdinnull
	streamlocalbindmask streamlocalbindunlink syslogfacility tcpkeepalive tisauthentication tunnel tunneldevice
	updatehostkeys usekeychain useprivilegedport userknownhostsfile2 useroaming usersh versionaddendum visualhostkey
	warnweakcrypto xauthlocation`)

// other handles a word that is not used.
func (m *matcher) other(l line) {
	if u, known := unheeded[l.word]; known {
		if !slices.Contains(u.quiet, strings.ToLower(l.args[0])) {
			m.warn(l.pos, "", "%s %s: ignored, %s", l.written, l.args[0], u.why)
		}
		return
	}
	if l.word == "refuseconnection" && m.failed == nil {
		m.failed = engine.Mistake{Pos: l.pos, Message: fmt.Sprintf("host %q: RefuseConnection: %q", m.given.alias, strings.Join(l.args, " "))}
	}
	ignored, _ := m.value("ignoreunknown")
	if !slices.Contains(harmless, l.word) && !matchHost(ignored, l.word) {
		m.warn(l.pos, "", "%s: ignored", l.written)
	}
}
