package features

import "strings"

// wordSet is a fixed set of words.
type wordSet map[string]bool

func setOf(words string) wordSet {
	s := wordSet{}
	for _, w := range strings.Fields(words) {
		s[w] = true
	}
	return s
}

// effectsOf maps each word to its effect.
func effectsOf(reading, writing string) map[string]Effect {
	m := map[string]Effect{}
	for _, w := range strings.Fields(reading) {
		m[w] = Read
	}
	for _, w := range strings.Fields(writing) {
		m[w] = Write
	}
	return m
}
