package main

import "strings"

// answers is what the tools say.
var answers = map[string]string{"track_parcel": "no scans recorded", "ask_seller": "the seller looks for it"}

// model stands for a language model: a function of its context, which repeats
// itself while that says nothing new.
func model(transcript string) (tool string) {
	switch {
	case strings.Contains(transcript, answers["ask_seller"]):
		return ""
	case strings.Contains(transcript, "\nsystem: "):
		return "ask_seller"
	}
	return "track_parcel"
}
