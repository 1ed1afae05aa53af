package strictyaml

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// within checks a number against "lo..hi".
func (v Value) within(x float64, bound string) bool {
	lo, hi, ranged := strings.Cut(bound, "..")
	if !ranged {
		return true
	}
	low, err := strconv.ParseFloat(lo, 64)
	if err == nil && x < low {
		v.Fault("%s is below %s", v.node.GetToken().Value, lo)
		return false
	}
	high, err := strconv.ParseFloat(hi, 64)
	if err == nil && x > high {
		v.Fault("%s is above %s", v.node.GetToken().Value, hi)
		return false
	}
	return true
}

// among checks a word against "a|b|c".
func (v Value) among(s, bound string) bool {
	if bound == "" {
		return true
	}
	words := strings.Split(bound, "|")
	if slices.Contains(words, s) {
		return true
	}
	v.Fault("%s is none of %s", short(s), strings.Join(words, ", "))
	return false
}

func (v Value) flag() (bool, bool) {
	n, ok := v.node.(*ast.BoolNode)
	if !ok {
		v.want("true or false")
		return false, false
	}
	return n.Value, true
}

// duration reads a Go duration such as 10m, with a bound such as 1s..24h.
func (v Value) duration(f target) {
	n, ok := v.node.(*ast.StringNode)
	if !ok {
		v.want("a duration such as 90s or 10m")
		return
	}
	d, err := time.ParseDuration(n.Value)
	if err != nil {
		v.Fault("%s is no duration such as 90s or 10m", short(n.Value))
		return
	}
	lo, hi, _ := strings.Cut(f.bound, "..")
	if low, err := time.ParseDuration(lo); err == nil && d < low {
		v.Fault("%s is below %s", n.Value, lo)
		return
	}
	if high, err := time.ParseDuration(hi); err == nil && d > high {
		v.Fault("%s is above %s", n.Value, hi)
		return
	}
	f.SetInt(int64(d))
}
