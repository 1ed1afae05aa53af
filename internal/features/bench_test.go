package features

import (
	"strings"
	"testing"
)

func BenchmarkCall(b *testing.B) {
	inputs := []struct{ name, tool, args string }{
		{"small", "get_order_details", `{"order_id": "#W4836353"}`},
		{"700 bytes", "book_reservation", `{"user_id": "mia_li_3668", "origin": "JFK", "destination": "SEA", "flight_type": "one_way", "cabin": "economy", "flights": [{"flight_number": "HAT136", "date": "2024-05-20"}, {"flight_number": "HAT039", "date": "2024-05-20"}], "passengers": [{"first_name": "Mia", "last_name": "Li", "dob": "1990-04-05"}], "payment_methods": [{"payment_id": "certificate_7504069", "amount": 250}, {"payment_id": "credit_card_4421486", "amount": 5.50}], "total_baggages": 3, "nonfree_baggages": 0, "insurance": "no", "note": "` + strings.Repeat("window seat please ", 8) + `"}`},
		{"shell", "bash", `{"command": "cd /testbed && sed -n '1340,1350p' ./pvlib/ivtools/sdm.py | grep -n \"def fit\" 2>/dev/null"}`},
	}
	for _, in := range inputs {
		b.Run(in.name, func(b *testing.B) {
			x := New(Rules{})
			args := []byte(in.args)
			b.SetBytes(int64(len(args)))
			b.ReportAllocs()
			for b.Loop() {
				x.Call(in.tool, args, "", Unknown, false)
			}
		})
	}
}

func BenchmarkResult(b *testing.B) {
	inputs := []struct{ name, text string }{
		{"short", "no scans recorded"},
		{"1 KB", strings.Repeat("2024-05-16T10:00:00Z order #W48 moved to stage 3 in 1.5s\n", 18)},
		{"4 KB", strings.Repeat("340:    def fit_cec_sam(celltype, v_mp, i_mp, v_oc, i_sc):\n", 68)},
		{"64 KB", strings.Repeat("340:    def fit_cec_sam(celltype, v_mp, i_mp, v_oc, i_sc):\n", 1100)},
	}
	for _, in := range inputs {
		b.Run(in.name, func(b *testing.B) {
			x := New(Rules{})
			a := Answer{Tool: "t", Content: quoteArgs("content", in.text)}
			b.SetBytes(int64(len(a.Content)))
			b.ReportAllocs()
			for b.Loop() {
				x.Result(a)
			}
		})
	}
}

func BenchmarkText(b *testing.B) {
	x := New(Rules{})
	s := strings.Repeat("Let me look at the failing test again and see what the parser does with it. ", 12)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		x.Text(s)
	}
}
