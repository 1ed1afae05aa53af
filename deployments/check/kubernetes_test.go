// Package check holds the deployments against the types of those who read them:
// Kubernetes' API and Compose. It is a module of its own, so that their
// dependencies are nobody else's:
//
//	go -C deployments/check test ./...
//
// It owns no code.
package check

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

// cluster is what an overlay brings to one.
type cluster struct {
	sets      []*apps.StatefulSet
	services  []*core.Service
	budgets   []*policy.PodDisruptionBudget
	policies  []*networking.NetworkPolicy
	configs   []*core.ConfigMap
	accounts  []*core.ServiceAccount
	namespace []*core.Namespace
}

// render runs the real kustomize and decodes every object strictly as the type
// it says it is.
func render(t *testing.T, dir string) cluster {
	t.Helper()
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		t.Skip("no kubectl")
	}
	out, err := exec.CommandContext(t.Context(), kubectl, "kustomize", filepath.Join("..", "kustomize", dir)).Output()
	if err != nil {
		t.Fatalf("kubectl kustomize %s: %v", dir, err)
	}
	var c cluster
	for doc := range strings.SplitSeq(string(out), "\n---\n") {
		var kind meta.TypeMeta
		if err := yaml.Unmarshal([]byte(doc), &kind); err != nil {
			t.Fatal(err)
		}
		switch kind.APIVersion + " " + kind.Kind {
		case "apps/v1 StatefulSet":
			c.sets = append(c.sets, decode[apps.StatefulSet](t, doc))
		case "v1 Service":
			c.services = append(c.services, decode[core.Service](t, doc))
		case "policy/v1 PodDisruptionBudget":
			c.budgets = append(c.budgets, decode[policy.PodDisruptionBudget](t, doc))
		case "networking.k8s.io/v1 NetworkPolicy":
			c.policies = append(c.policies, decode[networking.NetworkPolicy](t, doc))
		case "v1 ConfigMap":
			c.configs = append(c.configs, decode[core.ConfigMap](t, doc))
		case "v1 ServiceAccount":
			c.accounts = append(c.accounts, decode[core.ServiceAccount](t, doc))
		case "v1 Namespace":
			c.namespace = append(c.namespace, decode[core.Namespace](t, doc))
		default:
			t.Errorf("%s: unexpected %s %s", dir, kind.APIVersion, kind.Kind)
		}
	}
	return c
}

func decode[T any](t *testing.T, doc string) *T {
	t.Helper()
	v := new(T)
	if err := yaml.UnmarshalStrict([]byte(doc), v); err != nil {
		t.Errorf("%v in\n%s", err, doc)
	}
	return v
}

func TestTheOverlays(t *testing.T) {
	for dir, want := range map[string]struct{ sets, replicas, policies, configs, spaces int }{
		"base":          {1, 1, 1, 1, 0},
		"overlays/dev":  {2, 1, 2, 2, 1},
		"overlays/prod": {1, 3, 1, 1, 1},
	} {
		t.Run(dir, func(t *testing.T) {
			c := render(t, dir)
			if len(c.sets) != want.sets || len(c.policies) != want.policies || len(c.configs) != want.configs || len(c.namespace) != want.spaces {
				t.Fatalf("%d sets, %d policies, %d config maps, %d namespaces", len(c.sets), len(c.policies), len(c.configs), len(c.namespace))
			}
			for _, s := range c.sets {
				hardened(t, s)
				joined(t, s, &c)
				if s.Name == "loopwatch" && int(*s.Spec.Replicas) != want.replicas {
					t.Errorf("%d replicas", *s.Spec.Replicas)
				}
			}
			for _, n := range c.namespace {
				if n.Labels["pod-security.kubernetes.io/enforce"] != "restricted" {
					t.Errorf("namespace %s does not enforce the restricted standard", n.Name)
				}
			}
		})
	}
}

// hardened wants of every container what the restricted standard wants, a
// read-only root and bounds.
func hardened(t *testing.T, s *apps.StatefulSet) {
	t.Helper()
	pod := s.Spec.Template.Spec
	if sc := pod.SecurityContext; sc == nil || sc.RunAsNonRoot == nil || !*sc.RunAsNonRoot || sc.SeccompProfile == nil || sc.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault {
		t.Errorf("%s: pods may run as root or without seccomp", s.Name)
	}
	if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
		t.Errorf("%s: pods have a token of the cluster", s.Name)
	}
	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
		sc := c.SecurityContext
		if sc == nil || sc.ReadOnlyRootFilesystem == nil || !*sc.ReadOnlyRootFilesystem ||
			sc.AllowPrivilegeEscalation == nil || *sc.AllowPrivilegeEscalation ||
			sc.Capabilities == nil || !slices.Equal(sc.Capabilities.Drop, []core.Capability{"ALL"}) || len(sc.Capabilities.Add) > 0 {
			t.Errorf("%s/%s is not confined: %+v", s.Name, c.Name, sc)
		}
		if c.Resources.Requests.Cpu().IsZero() || c.Resources.Requests.Memory().IsZero() || c.Resources.Limits.Memory().IsZero() {
			t.Errorf("%s/%s has no bounds", s.Name, c.Name)
		}
	}
	for _, c := range pod.Containers {
		if c.LivenessProbe == nil || c.ReadinessProbe == nil {
			t.Errorf("%s/%s is not probed", s.Name, c.Name)
		}
		mounts(t, s, c)
	}
}

// mounts wants every mount to have its volume.
func mounts(t *testing.T, s *apps.StatefulSet, c core.Container) {
	t.Helper()
	for _, m := range c.VolumeMounts {
		has := slices.ContainsFunc(s.Spec.Template.Spec.Volumes, func(v core.Volume) bool { return v.Name == m.Name }) ||
			slices.ContainsFunc(s.Spec.VolumeClaimTemplates, func(v core.PersistentVolumeClaim) bool { return v.Name == m.Name })
		if !has {
			t.Errorf("%s/%s mounts %s, which is no volume", s.Name, c.Name, m.Name)
		}
	}
}

// joined wants the objects to name each other: selectors meet the pods, and a
// headless service names them.
func joined(t *testing.T, s *apps.StatefulSet, c *cluster) {
	t.Helper()
	pods := labels.Set(s.Spec.Template.Labels)
	selects := func(sel *meta.LabelSelector) bool {
		l, err := meta.LabelSelectorAsSelector(sel)
		return err == nil && !l.Empty() && l.Matches(pods)
	}
	if !selects(s.Spec.Selector) {
		t.Errorf("%s does not select its own pods", s.Name)
	}
	if !slices.ContainsFunc(c.policies, func(p *networking.NetworkPolicy) bool {
		return selects(&p.Spec.PodSelector) && len(p.Spec.PolicyTypes) == 2
	}) {
		t.Errorf("%s: no network policy covers its pods both ways", s.Name)
	}
	if !slices.ContainsFunc(c.services, func(v *core.Service) bool {
		return v.Name == s.Spec.ServiceName && v.Spec.ClusterIP == core.ClusterIPNone && len(v.Spec.Selector) > 0 &&
			labels.SelectorFromSet(v.Spec.Selector).Matches(pods)
	}) {
		t.Errorf("%s: no headless service names its pods", s.Name)
	}
	if s.Name == "loopwatch" && !slices.ContainsFunc(c.budgets, func(b *policy.PodDisruptionBudget) bool { return selects(b.Spec.Selector) }) {
		t.Error("no disruption budget covers the processors")
	}
	for _, con := range s.Spec.Template.Spec.Containers {
		for _, from := range con.EnvFrom {
			if !slices.ContainsFunc(c.configs, func(m *core.ConfigMap) bool { return m.Name == from.ConfigMapRef.Name }) {
				t.Errorf("%s reads %s, which is no config map", s.Name, from.ConfigMapRef.Name)
			}
		}
	}
}
