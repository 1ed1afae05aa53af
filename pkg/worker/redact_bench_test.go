package worker

import (
	"strings"
	"testing"
)

// What redaction costs on the largest content that is sent, by what it holds.
func BenchmarkRedact(b *testing.B) {
	for name, s := range map[string]string{
		"prose":   strings.Repeat("the parcel was not scanned at the depot. ", 1600),
		"code":    strings.Repeat(`func (x *T) name(a string) { if x.key == "" { return } }`+"\n", 1150),
		"secrets": strings.Repeat("password=hunter2 ghp_16C7e42F292c6912E7710c838347Ae178B4a ", 1100),
		"colons":  strings.Repeat("token:", 11000),
		"dots":    strings.Repeat("eyJ.", 16000),
		"schemes": strings.Repeat("://", 21000),
	} {
		raw := quote(s)
		x := testRedactor()
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				x.json(raw)
			}
		})
	}
}
