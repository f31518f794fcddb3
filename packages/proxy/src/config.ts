import { ipRange } from '@binnacle/base';
import { ProxyConfigError } from './errors.ts';

/** What a KubeProxyConfiguration says, as far as it bears on us; defaults are upstream's. */
export interface ProxyConfiguration {
  readonly kubeconfig?: string;
  /** The node's name, where it is not the machine's. */
  readonly hostnameOverride?: string;
  /** CIDRs of pods; empty: not known. */
  readonly podRanges: readonly string[];
  /** CIDRs of the machine's addresses that answer on node ports; empty: all but loopback. */
  readonly nodePortRanges: readonly string[];
  readonly masqueradeAll: boolean;
  readonly masqueradeBit: number;
  readonly minSyncMs: number;
  /** `host:port`; empty: off. */
  readonly healthzBindAddress: string;
  readonly metricsBindAddress: string;
}

const API_VERSION = 'kubeproxy.config.k8s.io/v1alpha1';
const KIND = 'KubeProxyConfiguration';

const DEFAULTS: ProxyConfiguration = {
  podRanges: [],
  nodePortRanges: [],
  masqueradeAll: false,
  masqueradeBit: 14,
  minSyncMs: 1000,
  healthzBindAddress: '0.0.0.0:10256',
  metricsBindAddress: '127.0.0.1:10249',
};

/** Throws what is wrong with the value. */
type Reader = (value: unknown) => Partial<ProxyConfiguration>;

/** Fields by their path. */
const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['apiVersion', (value) => only(value, API_VERSION)],
  ['kind', (value) => only(value, KIND)],
  ['mode', (value) => only(value, '', 'nftables')],
  ['detectLocalMode', (value) => only(value, '', 'ClusterCIDR')],
  ['clientConnection.kubeconfig', (value) => (text(value) === '' ? {} : { kubeconfig: text(value) })],
  ['hostnameOverride', (value) => (text(value) === '' ? {} : { hostnameOverride: text(value).trim().toLowerCase() })],
  ['clusterCIDR', (value) => ({ podRanges: ranges(text(value).split(',').filter(Boolean)) })],
  ['nodePortAddresses', (value) => ({ nodePortRanges: ranges(value ?? []) })],
  ['nftables.masqueradeAll', (value) => ({ masqueradeAll: flag(value) })],
  ['nftables.masqueradeBit', (value) => ({ masqueradeBit: bit(value) })],
  ['nftables.minSyncPeriod', (value) => ({ minSyncMs: milliseconds(value) })],
  ['healthzBindAddress', (value) => ({ healthzBindAddress: withPort(text(value), 10_256) })],
  ['metricsBindAddress', (value) => ({ metricsBindAddress: withPort(text(value), 10_249) })],
]);

/** Of other drivers and machines, or how a client paces itself: true of what we do whatever they say. */
const HARMLESS =
  /^(?:iptables|ipvs|winkernel|logging)\.|^clientConnection\.(?:qps|burst|contentType|acceptContentTypes)$/;
/** What we do anyway: fields that may say just that. */
const FIXED: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ['bindAddress', ['', '0.0.0.0']],
  ['bindAddressHardFail', [false]],
  ['enableProfiling', [false]],
  ['showHiddenMetricsForVersion', ['']],
  ['nftables.syncPeriod', ['0s', '30s']],
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
  let made = DEFAULTS;
  for (const [path, value] of leaves(parsed, '')) {
    const read = READERS.get(path);
    if (read !== undefined) made = { ...made, ...at(path, () => read(value)) };
    else if (value !== null && !HARMLESS.test(path) && FIXED.get(path)?.includes(value) !== true) refused.push(path);
  }
  if (refused.length > 0) throw new ProxyConfigError(`fields that are not supported: ${refused.join(', ')}`);
  return made;
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

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new ProxyConfigError('must be a string');
}

function flag(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new ProxyConfigError('must be true or false');
}

function bit(value: unknown): number {
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 31) return Number(value);
  throw new ProxyConfigError('must be within the range [0, 31]');
}

function ranges(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' && one.includes('/') && ipRange(one)))
    return value as string[];
  throw new ProxyConfigError('must be CIDRs');
}

const UNITS: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

function milliseconds(value: unknown): number {
  const given = text(value);
  if (!/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|s|m|h))+$/.test(given)) throw new ProxyConfigError(`${given} is no duration`);
  const parts = [...given.matchAll(/([\d.]+)(ms|s|m|h)/g)];
  return parts.reduce((sum, [, number, unit = '']) => sum + Number(number) * (UNITS[unit] ?? 0), 0);
}

/** An address alone gets the usual port, as upstream's does. */
function withPort(address: string, port: number): string {
  return address === '' || /^(?:[^:]*|\[[^\]]*\]):\d+$/.test(address) ? address : `${address}:${port}`;
}
