package worker

import (
	"slices"
	"strings"
)

// parts are what a name of a secret contains, without what separates words.
var secretParts = []string{
	"password", "passwd", "passphrase", "secret", "apikey", "accesskey", "privatekey", "signingkey", "encryptionkey",
	"authorization", "cookie", "credential", "sessionid", "bearer",
}

// secretWords are what the name of a secret is, or ends in.
var secretWords = []string{"token", "pwd", "jwt", "otp", "cvv", "csrf"}

// harmless names contain one of the above and hold no secret.
var harmlessParts = []string{"cookieconsent", "cookiepolicy", "secretsmanager", "passwordless", "passwordpolicy", "tokenizer"}

// secretName reports whether what stands under a name is a secret: it contains
// a word like password or api_key, in whatever spelling, or ends in token, or is
// one of more.
func secretName(name string, more []string) bool {
	if len(name) > 128 {
		name = name[len(name)-128:] // its end says what it is
	}
	flat := strings.Map(func(r rune) rune {
		switch {
		case r == '_' || r == '-' || r == '.' || r == ' ' || r == '"' || r == '\'':
			return -1
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return r
	}, name)
	if flat == "" {
		return false
	}
	in := func(part string) bool { return strings.Contains(flat, part) }
	switch {
	case slices.Contains(more, flat):
		return true
	case slices.ContainsFunc(harmlessParts, in):
		return false
	case slices.ContainsFunc(secretParts, in):
		return true
	}
	return slices.ContainsFunc(secretWords, func(word string) bool { return strings.HasSuffix(flat, word) })
}

// plainName brings a configured name to the form that names are compared in.
func plainName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(name))
}
