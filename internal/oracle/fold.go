package oracle

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// fold writes a JSON value so that two that a preset calls the same come out
// the same. Text that is no JSON is folded as a string.
func fold(preset string, raw events.RawJSON) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return foldText(preset, string(raw))
	}
	var b strings.Builder
	foldValue(&b, preset, v)
	return b.String()
}

func foldValue(b *strings.Builder, preset string, v any) {
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			b.WriteString(strconv.Quote(k) + ":")
			foldValue(b, preset, v[k])
			b.WriteByte(',')
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for _, x := range v {
			foldValue(b, preset, x)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case string:
		b.WriteString(strconv.Quote(foldText(preset, v)))
	case json.Number:
		b.WriteString(foldNumber(preset, string(v)))
	case bool:
		b.WriteString(strconv.FormatBool(v))
	default:
		b.WriteString("null")
	}
}

// foldText: sundry takes case and every run of white space away, forty-times
// runs of white space in a string of one line.
func foldText(preset, s string) string {
	if preset == "sundry" {
		return strings.Join(strings.Fields(strings.ToLower(s)), " ")
	}
	if strings.Contains(s, "\n") {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// foldNumber: the same value is the same number, however it is written; sundry
// rounds what has a fraction to two decimals, as floating point does.
func foldNumber(preset, s string) string {
	digits, point, negative := plainNumber(s)
	if digits == "" {
		return "0"
	}
	if fraction := point < len(digits); fraction && preset == "sundry" {
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			rounded := strconv.FormatFloat(f, 'f', 2, 64)
			if digits, point, negative = plainNumber(rounded); digits == "" {
				return "0"
			}
		}
	}
	sign := ""
	if negative {
		sign = "-"
	}
	return sign + digits + "e" + strconv.Itoa(point)
}

// plainNumber returns the significant digits of a number, and how many of them
// stand before its decimal point.
func plainNumber(s string) (digits string, point int, negative bool) {
	s, negative = strings.CutPrefix(s, "-")
	mantissa, exp, _ := strings.Cut(strings.ToLower(s), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits, point = whole+fraction, len(whole)
	if exp != "" {
		n, err := strconv.Atoi(strings.TrimPrefix(exp, "+"))
		if err != nil {
			return s, len(s), negative // beyond any number that counts: only itself
		}
		point += n
	}
	for strings.HasPrefix(digits, "0") {
		digits, point = digits[1:], point-1
	}
	return strings.TrimRight(digits, "0"), point, negative
}

// signature is what makes two calls the same call.
func signature(preset string, c *events.Call) string {
	if c.RawArgs != "" {
		return c.Tool + " raw " + foldText(preset, c.RawArgs)
	}
	args := fold(preset, c.Args)
	if args == "null" || args == "" {
		args = "{}"
	}
	return c.Tool + " " + args
}

// answer is what makes two results the same result.
func answer(preset string, r *events.Result) string {
	if r.Error != nil { // its words; a code stands for them where there are none
		return "error " + foldText(preset, cmp.Or(r.Error.Message, r.Error.Code))
	}
	if r.ContentSHA != "" {
		return "sha " + r.ContentSHA
	}
	return fold(preset, r.Content)
}
