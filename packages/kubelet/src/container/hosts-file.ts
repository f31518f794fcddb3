import type { Pod } from '@binnacle/api/core/v1';
import { podDomain, podHostname } from './sandbox-config.ts';

export interface HostsInput {
  readonly pod: Pod;
  readonly podIPs: readonly string[];
  readonly clusterDomain: string;
  /** The node's own file, for pods on the node's network. */
  readonly nodeHosts: string;
}

const LOCAL = [
  '127.0.0.1\tlocalhost',
  '::1\tlocalhost ip6-localhost ip6-loopback',
  'fe00::\tip6-localnet',
  'fe00::\tip6-mcastprefix',
  'fe00::1\tip6-allnodes',
  'fe00::2\tip6-allrouters',
];

/** The managed /etc/hosts of a pod's containers. */
export function hostsFile(input: HostsInput): string {
  const { pod } = input;
  const aliases = (pod.spec?.hostAliases ?? []).map((a) => `${a.ip ?? ''}\t${(a.hostnames ?? []).join('\t')}`);
  const tail = aliases.length > 0 ? ['', '# Entries added by HostAliases.', ...aliases] : [];
  if (pod.spec?.hostNetwork === true) {
    return ['# Kubernetes-managed hosts file (host network).', input.nodeHosts.replace(/\n$/, ''), ...tail, ''].join(
      '\n',
    );
  }
  const hostname = podHostname(pod);
  const domain = podDomain(pod, input.clusterDomain);
  const own = input.podIPs.map((ip) =>
    domain === '' ? `${ip}\t${hostname}` : `${ip}\t${hostname}.${domain}\t${hostname}`,
  );
  return ['# Kubernetes-managed hosts file.', ...LOCAL, ...own, ...tail, ''].join('\n');
}
