import { addressBytes, formatRange, ipRange, parseGoDuration } from '@binnacle/base';
import { CONNTRACK_DEFAULTS } from './conntrack.ts';
import type { ConntrackConfiguration } from './conntrack.ts';
import { ProxyConfigError } from './errors.ts';

/** What makes Services real; the default is the one that upstream recommends. */
export type ConfiguredMode = 'nftables' | 'iptables' | 'ipvs';

/** What a KubeProxyConfiguration says, as far as it bears on us; defaults are upstream's. */
export interface ProxyConfiguration {
  readonly mode: ConfiguredMode;
  readonly kubeconfig?: string;
  /** The node's name, where it is not the machine's. */
  readonly hostnameOverride?: string;
  /** CIDRs of pods; empty: not known. */
  readonly podRanges: readonly string[];
  /**
   * CIDRs of the machine's addresses that answer on node ports, never those of loopback; empty: all others. `primary`: the
   * node's first address of each family, as its Node object says; what a file that asks for nftables means by saying nothing.
   */
  readonly nodePortRanges: readonly string[] | typeof PRIMARY;
  readonly masqueradeAll: boolean;
  readonly masqueradeBit: number;
  readonly minSyncMs: number;
  /** `host:port`. */
  readonly healthzBindAddress: string;
  readonly metricsBindAddress: string;
  readonly conntrack: ConntrackConfiguration;
  /** How soon the kernel ends this process where memory is short, -1000 to 1000. Absent: as it was started. */
  readonly oomScoreAdj?: number;
}

const API_VERSION = 'kubeproxy.config.k8s.io/v1alpha1';
const KIND = 'KubeProxyConfiguration';
/** Upstream's word for the node's own addresses. */
const PRIMARY = 'primary';

const DEFAULTS: ProxyConfiguration = {
  mode: 'nftables',
  podRanges: [],
  nodePortRanges: [],
  masqueradeAll: false,
  masqueradeBit: 14,
  minSyncMs: 1000,
  healthzBindAddress: '0.0.0.0:10256',
  metricsBindAddress: '127.0.0.1:10249',
  conntrack: CONNTRACK_DEFAULTS,
};
/** Where those of a proxy listen that is bound to addresses of IPv6. */
const SIX = '::';
const SIX_DEFAULTS = { healthzBindAddress: '[::]:10256', metricsBindAddress: '[::1]:10249' } as const;

/** Throws what is wrong with the value. */
type Reader = (value: unknown) => Partial<ProxyConfiguration>;
/** As well. */
type ConntrackReader = (value: unknown) => Partial<ConntrackConfiguration>;

/** Fields by their path. */
const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['apiVersion', (value) => only(value, API_VERSION)],
  ['kind', (value) => only(value, KIND)],
  ['mode', (value) => ({ mode: modeOf(value) })],
  ['detectLocalMode', (value) => only(value, '', 'ClusterCIDR')],
  ['clientConnection.kubeconfig', (value) => (text(value) === '' ? {} : { kubeconfig: text(value) })],
  ['hostnameOverride', (value) => (text(value) === '' ? {} : { hostnameOverride: text(value).trim().toLowerCase() })],
  ['clusterCIDR', (value) => ({ podRanges: ranges(text(value).split(',').filter(Boolean)) })],
  ['nodePortAddresses', (value) => ({ nodePortRanges: nodePorts(value) })],
  ['healthzBindAddress', (value) => boundTo('healthzBindAddress', value, 10_256)],
  ['metricsBindAddress', (value) => boundTo('metricsBindAddress', value, 10_249)],
  ['oomScoreAdj', (value) => ({ oomScoreAdj: whole(value, -1000, 1000) })],
]);

/** Fields of `conntrack`. */
const CONNTRACK: ReadonlyMap<string, ConntrackReader> = new Map<string, ConntrackReader>([
  ['maxPerCore', (value) => ({ maxPerCore: whole(value, 0, INT_MAX) })],
  ['min', (value) => ({ min: whole(value, 0, INT_MAX) })],
  ['tcpEstablishedTimeout', (value) => ({ tcpEstablishedTimeout: milliseconds(value) })],
  ['tcpCloseWaitTimeout', (value) => ({ tcpCloseWaitTimeout: milliseconds(value) })],
  ['tcpBeLiberal', (value) => ({ tcpBeLiberal: flag(value) })],
  ['udpTimeout', (value) => ({ udpTimeout: milliseconds(value) })],
  ['udpStreamTimeout', (value) => ({ udpStreamTimeout: milliseconds(value) })],
]);
const CONNTRACK_FIELD = /^conntrack\.(.*)$/;
const INT_MAX = 2 ** 31 - 1;

/** Fields of the mode's own section. */
const SECTION: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['masqueradeAll', (value) => ({ masqueradeAll: flag(value) })],
  ['masqueradeBit', (value) => ({ masqueradeBit: bit(value) })],
  // As upstream: none is the usual one.
  ['minSyncPeriod', (value) => ({ minSyncMs: milliseconds(value) || DEFAULTS.minSyncMs })],
]);
/** Fields of it that may say what we do anyway: node ports do not answer on loopback addresses. */
const FIXED_IN_SECTION: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ['syncPeriod', ['0s', '30s']],
  ['localhostNodePorts', [false]],
  ['scheduler', ['', 'rr']],
  ['strictARP', [false]],
  ['tcpTimeout', ['0s']],
  ['tcpFinTimeout', ['0s']],
  ['udpTimeout', ['0s']],
]);

/** Of other machines, or how a client paces itself: true of what we do whatever they say. */
const HARMLESS =
  /^(?:winkernel|logging)\.|^windowsRunAsService$|^clientConnection\.(?:qps|burst|contentType|acceptContentTypes)$/;
/** Sections of one mode; those of another one say nothing. */
const MODES = /^(iptables|ipvs|nftables)\.(.*)$/;
/** What we do anyway: fields that may say just that. */
const FIXED: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ['bindAddress', ['', '0.0.0.0', SIX]],
  ['bindAddressHardFail', [false]],
  ['enableProfiling', [false]],
  ['showHiddenMetricsForVersion', ['']],
  ['configSyncPeriod', ['0s', '15m0s', '15m']],
  ['portRange', ['']],
  ['detectLocal.bridgeInterface', ['']],
  ['detectLocal.interfaceNamePrefix', ['']],
]);

/** Reads a KubeProxyConfiguration; every field is understood, harmless, or refused by its name. */
export function readProxyConfiguration(parsed: unknown): ProxyConfiguration {
  if (!isObject(parsed) || parsed['kind'] !== KIND) throw new ProxyConfigError(`expected kind ${KIND}`);
  if (parsed['apiVersion'] !== API_VERSION) throw new ProxyConfigError(`apiVersion: expected ${API_VERSION}`);
  const refused: string[] = [];
  const mode = at('mode', () => modeOf(parsed['mode'] ?? ''));
  let made: ProxyConfiguration = { ...DEFAULTS, mode, ...(parsed['bindAddress'] === SIX ? SIX_DEFAULTS : {}) };
  for (const [path, value] of leaves(parsed, '')) {
    const [, section, field = ''] = MODES.exec(path) ?? [];
    if (value === null || HARMLESS.test(path) || (section !== undefined && !isOfMode(path, made.mode))) continue;
    const ofConntrack = CONNTRACK.get(CONNTRACK_FIELD.exec(path)?.[1] ?? '');
    if (ofConntrack !== undefined) {
      made = { ...made, conntrack: { ...made.conntrack, ...at(path, () => ofConntrack(value)) } };
      continue;
    }
    const read = section === undefined ? READERS.get(path) : SECTION.get(field);
    const fixed = section === undefined ? FIXED.get(path) : FIXED_IN_SECTION.get(field);
    if (read !== undefined) made = { ...made, ...at(path, () => read(value)) };
    else if (fixed?.includes(value) !== true) refused.push(path);
  }
  if (refused.length > 0) throw new ProxyConfigError(`fields that are not supported: ${refused.join(', ')}`);
  const isUnsaid = parsed['mode'] === 'nftables' && made.nodePortRanges.length === 0;
  return isUnsaid ? { ...made, nodePortRanges: PRIMARY } : made;
}

/** IPVS is masqueraded by iptables, whose section says how. */
function isOfMode(path: string, mode: ConfiguredMode): boolean {
  return path.startsWith(`${mode}.`) || (mode === 'ipvs' && /^iptables\.masquerade(?:All|Bit)$/.test(path));
}

function* leaves(object: { readonly [field: string]: unknown }, above: string): Generator<readonly [string, unknown]> {
  for (const [field, value] of Object.entries(object)) {
    const path = above === '' ? field : `${above}.${field}`;
    // No field of ours is deeper than one folder.
    if (isObject(value) && above === '') yield* leaves(value, path);
    else yield [path, value];
  }
}

function at<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ProxyConfigError) throw new ProxyConfigError(`${path}: ${error.message}`, error);
    throw error;
  }
}

function isObject(value: unknown): value is { readonly [field: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function only(value: unknown, ...allowed: readonly string[]): Partial<ProxyConfiguration> {
  if (allowed.includes(text(value))) return {};
  throw new ProxyConfigError(`${text(value)} is not supported; it may be ${allowed.filter(Boolean).join(' or ')}`);
}

function modeOf(value: unknown): ConfiguredMode {
  const mode = text(value);
  if (mode === '') return DEFAULTS.mode;
  if (mode === 'nftables' || mode === 'iptables' || mode === 'ipvs') return mode;
  throw new ProxyConfigError(`${mode} is not supported; it may be nftables, iptables or ipvs`);
}

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new ProxyConfigError('must be a string');
}

function flag(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new ProxyConfigError('must be true or false');
}

function bit(value: unknown): number {
  return whole(value, 0, 31);
}

function whole(value: unknown, least: number, most: number): number {
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return Number(value);
  throw new ProxyConfigError(`must be within the range [${least}, ${most}]`);
}

function ranges(value: unknown): readonly string[] {
  const read = (Array.isArray(value) ? value : [undefined]).map((one: unknown) =>
    typeof one === 'string' && one.includes('/') ? ipRange(one) : undefined,
  );
  // Said anew: what is told to the machine's tools is nothing but a range.
  return read.map((range) => {
    if (range === undefined) throw new ProxyConfigError('must be CIDRs');
    return formatRange(range);
  });
}

function nodePorts(value: unknown): ProxyConfiguration['nodePortRanges'] {
  const isPrimary = Array.isArray(value) && value.length === 1 && value[0] === PRIMARY;
  return isPrimary ? PRIMARY : ranges(value ?? []);
}

function milliseconds(value: unknown): number {
  const given = text(value);
  return parseGoDuration(given, (message) => {
    throw new ProxyConfigError(message);
  });
}

/** Nothing is the usual address. */
function boundTo(
  field: 'healthzBindAddress' | 'metricsBindAddress',
  value: unknown,
  port: number,
): Partial<ProxyConfiguration> {
  const address = text(value);
  return address === '' ? {} : { [field]: withPort(address, port) };
}

/** An address alone gets the usual port, as upstream's does. */
function withPort(address: string, port: number): string {
  if (address.includes(':') && addressBytes(address) !== undefined) return `[${address}]:${port}`;
  return /^(?:[^:]*|\[[^\]]*\]):\d+$/.test(address) ? address : `${address}:${port}`;
}
