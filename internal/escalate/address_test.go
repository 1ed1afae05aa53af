package escalate

import (
	"errors"
	"net/netip"
	"testing"
)

func TestPublicAddresses(t *testing.T) {
	for _, c := range []struct {
		addr string
		want bool
	}{
		{"8.8.8.8", true},
		{"2606:4700:4700::1111", true},
		{"::ffff:8.8.8.8", true},
		{"127.0.0.1", false},
		{"127.255.0.9", false},
		{"::1", false},
		{"::ffff:127.0.0.1", false},
		{"::ffff:10.0.0.1", false},
		{"::ffff:100.64.0.1", false},
		{"::7f00:1", false}, // IPv4-compatible
		{"10.1.2.3", false},
		{"172.16.0.1", false},
		{"172.32.0.1", true},
		{"192.168.1.1", false},
		{"169.254.169.254", false}, // metadata of clouds
		{"fe80::1%eth0", false},
		{"fd00:ec2::254", false},
		{"fec0::1", false},
		{"100.64.0.1", false},
		{"0.0.0.0", false},
		{"::", false},
		{"0.1.2.3", false},
		{"224.0.0.1", false},
		{"ff02::1", false},
		{"255.255.255.255", false},
		{"240.0.0.1", false},
		{"198.18.0.1", false},
		{"64:ff9b::7f00:1", false}, // NAT64 of 127.0.0.1
		{"2002:7f00:1::", false},   // 6to4 of 127.0.0.1
		{"2001:0:1::1", false},     // Teredo
	} {
		err := public(netip.MustParseAddr(c.addr))
		if (err == nil) != c.want || err != nil && !errors.Is(err, errPrivate) {
			t.Errorf("%s: %v, want public %v", c.addr, err, c.want)
		}
	}
	if public(netip.Addr{}) == nil {
		t.Error("no address at all is public")
	}
}

func TestOnlyPublicJudgesWhatIsConnectedTo(t *testing.T) {
	for address, want := range map[string]bool{
		"8.8.8.8:443": true, "[2606:4700:4700::1111]:443": true, "127.0.0.1:443": false, "[::ffff:127.0.0.1]:80": false,
		"[fe80::1%lo]:80": false, "example.com:443": false, "nonsense": false,
	} {
		if err := onlyPublic("tcp", address, nil); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
}
