package events

// MaxPartitions is the largest number of partitions a deployment can be made with.
const MaxPartitions = 1000

// Partition returns the partition of a task, from 0 to partitions-1: the
// 32-bit FNV-1a hash of the tenant followed by the task, modulo partitions. It
// is what a NATS server computes for {{partition(P,1,3)}} over the published
// subject. Zero or fewer partitions count as one.
func Partition(tenant, task string, partitions int) int {
	if partitions <= 1 {
		return 0
	}
	const offset, prime = 2166136261, 16777619
	h := uint32(offset)
	for i := range len(tenant) {
		h = (h ^ uint32(tenant[i])) * prime
	}
	for i := range len(task) {
		h = (h ^ uint32(task[i])) * prime
	}
	return int(h % uint32(partitions))
}
