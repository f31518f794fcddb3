import { addressBytes } from '@binnacle/base';
import { DnsConfigError } from './errors.ts';
import type { ForwardingConfig } from './forwarder.ts';
import { isWireName, normalizeName } from './names.ts';
import type { Upstream } from './ports.ts';

const DNS_PORT = 53;
/** More servers than upstream's ConfigMap takes are not asked. */
const SERVERS_MAX = 3;
const STUBS_MAX = 100;

const KEYS: ReadonlySet<string> = new Set(['upstreamNameservers', 'stubDomains']);
const SHOWN_MAX = 100;

/** What of a ConfigMap is read. */
export interface ConfigData {
  readonly data?: { readonly [key: string]: string };
  readonly binaryData?: { readonly [key: string]: unknown };
}

/**
 * The forwarding of a kube-dns ConfigMap: `upstreamNameservers`, a JSON list of addresses, and `stubDomains`, a JSON
 * object from domains to lists of addresses, with ports where they are not 53. What it does not say comes from
 * `machine`. Throws DnsConfigError, which names what cannot be heeded, for a key that is none of these as well.
 */
export function readForwarding(
  { data = {}, binaryData = {} }: ConfigData,
  machine: ForwardingConfig,
): ForwardingConfig {
  const unknown = [...Object.keys(data).filter((key) => !KEYS.has(key)), ...Object.keys(binaryData)];
  if (unknown.length > 0) throw new DnsConfigError(`unknown keys: ${shown(unknown.toSorted().join(', '))}`);
  const upstreams = Object.hasOwn(data, 'upstreamNameservers')
    ? serversOf('upstreamNameservers', parse('upstreamNameservers', data['upstreamNameservers']))
    : machine.upstreams;
  const stubs = Object.hasOwn(data, 'stubDomains') ? stubsOf(parse('stubDomains', data['stubDomains'])) : machine.stubs;
  return { upstreams, stubs };
}

/** The name servers of a resolv.conf; others than addresses, and options, are passed over as the C library does. */
export function readResolvConf(text: string): Upstream[] {
  return text
    .split('\n')
    .flatMap((line) => /^\s*nameserver\s+(\S+)/.exec(line)?.[1] ?? [])
    .flatMap((text) => {
      // Routers tell of themselves so: the address is one of a link, which is named behind it.
      const [, address = '', link = ''] = /^([^%]*)(%[\w.@-]+)?$/.exec(text) ?? [];
      const server = readServer(address);
      if (server === undefined || link === '') return server ?? [];
      return server.host.includes(':') ? { ...server, host: `${server.host}${link}` } : [];
    })
    .slice(0, SERVERS_MAX);
}

function parse(key: string, text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DnsConfigError(`${key} is not JSON`, error);
  }
}

function stubsOf(value: unknown): ReadonlyMap<string, readonly Upstream[]> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new DnsConfigError('stubDomains is not an object');
  const rows = Object.entries(value);
  if (rows.length > STUBS_MAX) throw new DnsConfigError(`stubDomains has more than ${STUBS_MAX} domains`);
  const stubs = new Map<string, readonly Upstream[]>();
  for (const [domain, servers] of rows) {
    const name = normalizeName(domain);
    const text = shown(domain);
    if (name === '' || !isWireName(name)) throw new DnsConfigError(`stubDomains has no domain ${JSON.stringify(text)}`);
    if (stubs.has(name)) throw new DnsConfigError(`stubDomains names ${text} twice`);
    stubs.set(name, serversOf(`stubDomains ${text}`, servers));
  }
  return stubs;
}

/** Whatever somebody wrote, no longer than to be told. */
function shown(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}

function serversOf(key: string, value: unknown): Upstream[] {
  if (!Array.isArray(value)) throw new DnsConfigError(`${key} is not a list`);
  if (value.length > SERVERS_MAX) throw new DnsConfigError(`${key} names more than ${SERVERS_MAX} servers`);
  return value.map((address: unknown) => {
    const server = typeof address === 'string' ? readServer(address) : undefined;
    if (server === undefined) throw new DnsConfigError(`${key} has no address ${shown(JSON.stringify(address))}`);
    return server;
  });
}

/** `10.0.0.1`, `10.0.0.1:5353`, `fd00::1`, `[fd00::1]:5353`. */
function readServer(text: string): Upstream | undefined {
  if (addressBytes(text) !== undefined) return { host: text, port: DNS_PORT };
  const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? '';
  const port = Number(digits);
  return addressBytes(host) === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}
