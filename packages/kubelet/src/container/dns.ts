import type { Pod } from '@binnacle/api/core/v1';
import type { DnsConfig } from '@binnacle/runtime';

export interface DnsInput {
  readonly pod: Pod;
  /** Content of the node's resolv.conf. */
  readonly nodeResolvConf: string;
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
}

const MAX_SERVERS = 3;
const MAX_SEARCHES = 32;

/** What a pod's resolv.conf says, by its dnsPolicy and dnsConfig. */
export function podDns(input: DnsInput): DnsConfig {
  const { pod } = input;
  const base = baseDns(input);
  const extra = pod.spec?.dnsConfig ?? {};
  const options = new Map(base.options.map((option) => [option.split(':', 1)[0] ?? option, option]));
  for (const { name = '', value } of extra.options ?? []) {
    options.set(name, value === undefined || value === '' ? name : `${name}:${value}`);
  }
  return {
    servers: unique([...base.servers, ...(extra.nameservers ?? [])]).slice(0, MAX_SERVERS),
    searches: unique([...base.searches, ...(extra.searches ?? [])]).slice(0, MAX_SEARCHES),
    options: [...options.values()],
  };
}

function baseDns(input: DnsInput): DnsConfig {
  const { pod, clusterDNS, clusterDomain } = input;
  const node = parseResolvConf(input.nodeResolvConf);
  const policy = pod.spec?.dnsPolicy ?? 'ClusterFirst';
  if (policy === 'None') return { servers: [], searches: [], options: [] };
  const cluster = policy === 'ClusterFirstWithHostNet' || (policy === 'ClusterFirst' && pod.spec?.hostNetwork !== true);
  // Without a cluster DNS there is nothing to ask first: the node's own servers, as upstream does.
  if (!cluster || clusterDNS.length === 0) return node;
  const namespace = pod.metadata.namespace ?? 'default';
  const domains =
    clusterDomain === '' ? [] : [`${namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain];
  return { servers: clusterDNS, searches: [...domains, ...node.searches], options: ['ndots:5'] };
}

export function parseResolvConf(text: string): DnsConfig {
  const servers: string[] = [];
  let searches: string[] = [];
  let options: string[] = [];
  for (const line of text.split('\n')) {
    const [word, ...rest] = line
      .replace(/[#;].*$/, '')
      .trim()
      .split(/\s+/);
    if (word === 'nameserver' && rest[0] !== undefined) servers.push(rest[0]);
    else if (word === 'search') searches = rest.filter((s) => s !== '.').map((s) => s.replace(/\.$/, ''));
    else if (word === 'options') options = rest;
  }
  return { servers, searches, options };
}

function unique(list: readonly string[]): string[] {
  return [...new Set(list)];
}
