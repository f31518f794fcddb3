/** Modules of the guest's kernel: what IPVS, sets, chains and namespaces with pods need. */
export const MODULES: readonly string[] = [
  ...['ip_vs', 'ip_vs_rr', 'veth', 'bridge', 'br_netfilter', 'nf_conntrack', 'nf_nat'],
  ...['nf_tables', 'nft_compat', 'nft_chain_nat', 'nft_nat', 'nft_ct', 'nft_numgen', 'nft_fib_inet'],
  ...['nft_reject_ipv4', 'nft_reject_ipv6', 'nft_masq', 'nft_fib_ipv4', 'nft_fib_ipv6'],
  ...['xt_MASQUERADE', 'xt_nat', 'xt_set', 'xt_mark', 'xt_comment', 'xt_conntrack', 'xt_addrtype'],
  ...['xt_statistic', 'xt_recent', 'xt_tcpudp', 'xt_sctp', 'ipt_REJECT', 'ip6t_REJECT'],
  ...['ip_set', 'ip_set_hash_ip', 'ip_set_hash_ipport', 'nf_conntrack_netlink'],
];

/**
 * What the guest does from its first instruction on: modules, then the tests one by one, then it is off. Emulated Node has
 * died at its load now and then, without a word: a file that a signal ends is run again, and that is said.
 */
export function initProgram(tests: readonly string[], pattern: string): string {
  return `#!/bin/sh
export PATH=/sbin:/bin HOME=/tmp
mount -t proc p /proc; mount -t sysfs s /sys; mount -t devtmpfs d /dev; mount -t tmpfs r /run; mount -t tmpfs t /tmp
mkdir -p /run/netns /var; ln -s /run /var/run
while read module; do insmod /lib/m/$module 2>/tmp/said || grep -q exists /tmp/said || echo "insmod $module: $(cat /tmp/said)"; done < /lib/m/order
/sbin/ip link set lo up
code=0
try() { node --test --test-isolation=none --test-reporter=spec --test-name-pattern='${pattern}' "$1"; }
for file in ${tests.join(' ')}; do
  try /w/$file; ended=$?
  if [ $ended -gt 128 ]; then echo "GUEST: $file died of signal $((ended - 128)): once more"; try /w/$file; ended=$?; fi
  [ $ended -eq 0 ] || code=1
done
echo "GUEST ENDS $code"
poweroff -f
`;
}
