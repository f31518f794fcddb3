import { readFile, readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '@binnacle/base';
import { applyMergePatch, quantityMilliValue, quantityValue } from '@binnacle/machinery';
import { parseCpuSet } from '@binnacle/kubelet';
import type { KubeletConfig } from '@binnacle/kubelet';
import { UsageError } from '../errors.ts';
import { parseDuration } from './duration.ts';

/** What a kubelet's `--config` file says. */
export interface KubeletFile {
  readonly staticPodPath?: string;
  readonly config: Partial<KubeletConfig>;
}

/** How a field is read: into the kubelet's own configuration. Throws what is wrong with the value. */
type Reader = (value: unknown) => Partial<KubeletConfig>;

const FIELDS: { readonly [field: string]: Reader } = {
  allowedUnsafeSysctls: (value) => ({ allowedUnsafeSysctls: texts(value) }),
  clusterDNS: (value) => ({ clusterDNS: texts(value) }),
  clusterDomain: (value) => ({ clusterDomain: text(value) }),
  containerLogMaxFiles: (value) => ({ logMaxFiles: whole(value, 2) }),
  containerLogMaxSize: (value) => ({ logMaxBytes: bytes(value) }),
  containerLogMonitorInterval: (value) => ({ logCheckPeriodMs: milliseconds(value) }),
  cpuManagerPolicy: (value) => ({ cpuManagerPolicy: oneOf(value, ['none', 'static']) }),
  evictionHard: (value) => ({ evictionHard: textTable(value) }),
  evictionMaxPodGracePeriod: (value) => ({ evictionMaxPodGraceSeconds: whole(value, 0) }),
  evictionMinimumReclaim: (value) => ({ evictionMinimumReclaim: textTable(value) }),
  evictionPressureTransitionPeriod: period('evictionPressureTransitionMs'),
  evictionSoft: (value) => ({ evictionSoft: textTable(value) }),
  evictionSoftGracePeriod: (value) => ({
    evictionSoftGraceMs: Object.fromEntries(Object.entries(textTable(value)).map(([k, v]) => [k, parseDuration(v)])),
  }),
  imageGCHighThresholdPercent: (value) => ({ imageGCHighPercent: percent(value) }),
  imageGCLowThresholdPercent: (value) => ({ imageGCLowPercent: percent(value) }),
  imageMaximumGCAge: (value) => ({ imageMaximumAgeMs: milliseconds(value) }),
  imageMinimumGCAge: period('imageMinimumAgeMs'),
  kubeReserved: (value) => ({ kubeReserved: reserved(value) }),
  maxPods: (value) => ({ maxPods: whole(value, 0) }),
  nodeLeaseDurationSeconds: (value) => {
    const seconds = whole(value, 1);
    return { leaseDurationSeconds: seconds, leasePeriodMs: seconds * 250 };
  },
  nodeStatusReportFrequency: period('nodeStatusPeriodMs'),
  nodeStatusUpdateFrequency: period('nodeStatusUpdateMs'),
  podLogsDir: (value) => ({ podLogsDirectory: text(value) }),
  registerNode: (value) => ({ registerNode: flag(value) }),
  registerWithTaints: (value) => ({ nodeTaints: taints(value) }),
  reservedSystemCPUs: (value) => {
    const cpus = parseCpuSet(text(value), 'reservedSystemCPUs');
    return cpus.length === 0 ? {} : { reservedCpus: cpus };
  },
  shutdownGracePeriod: (value) => ({ shutdownGraceMs: wholeSeconds(value) }),
  shutdownGracePeriodByPodPriority: (value) => ({ shutdownGraceByPriority: shutdownPeriods(value) }),
  shutdownGracePeriodCriticalPods: (value) => ({ shutdownGraceCriticalMs: wholeSeconds(value) }),
  systemReserved: (value) => ({ systemReserved: reserved(value) }),
};

/** Read elsewhere, or true of what we do whatever they say: the folder of manifests is watched, not looked at at times. */
const OTHERS = new Set(['apiVersion', 'kind', 'staticPodPath', 'fileCheckFrequency']);

/** What we do anyway: the same in other words is no wish that goes unheard. */
const AS_IT_IS: { readonly [field: string]: readonly unknown[] } = {
  cgroupDriver: ['cgroupfs'],
  cgroupRoot: ['', '/'],
  cgroupsPerQOS: [true],
  cpuCFSQuota: [true],
  cpuCFSQuotaPeriod: ['100ms', '0s'],
  cpuManagerReconcilePeriod: ['10s', '0s'],
  enableControllerAttachDetach: [true],
  enableDebuggingHandlers: [true],
  enableServer: [true],
  enforceNodeAllocatable: [['pods']],
  failSwapOn: [false],
  hairpinMode: ['promiscuous-bridge', 'hairpin-veth'],
  localStorageCapacityIsolation: [true],
  memoryManagerPolicy: ['None', ''],
  mergeDefaultEvictionSettings: [false],
  runtimeRequestTimeout: ['2m0s', '2m', '0s'],
  serializeImagePulls: [false],
  topologyManagerPolicy: ['none', ''],
  // Nothing is looked at at times that is not watched.
  syncFrequency: ['1m0s', '1m', '0s'],
  volumeStatsAggPeriod: ['1m0s', '1m', '0s'],
};

/**
 * Reads a KubeletConfiguration (YAML or JSON), and those in a folder over it (a JSON merge patch each, by name). Fields that
 * are not understood are named and refused.
 */
export async function readKubeletConfig(path: string | undefined, directory?: string): Promise<KubeletFile> {
  const base: Document[] = path === undefined ? [] : [{ path, fields: await readDocument(path) }];
  const all = [...base, ...(directory === undefined ? [] : await readDropIns(directory))];
  let file: KubeletFile = { config: {} };
  let fields: Document['fields'] = {};
  for (const document of all) {
    // A folder of manifests is meant from where the file lies that names it.
    const { staticPodPath } = readFields(document);
    if (staticPodPath !== undefined) file = { ...file, staticPodPath };
    fields = applyMergePatch(fields, document.fields) as Document['fields'];
  }
  const last = all.at(-1);
  return last === undefined
    ? file
    : { ...file, config: checkTogether(last.path, readFields({ path: last.path, fields }).config) };
}

interface Document {
  readonly path: string;
  readonly fields: { readonly [field: string]: unknown };
}

const DROP_INS_MAX = 1_000;

/** Files named `*.conf` in a folder and below it, by name; what a later one says goes before what an earlier one said. */
async function readDropIns(directory: string): Promise<Document[]> {
  const names = await readdir(directory, { recursive: true }).catch((error: unknown) => {
    throw new UsageError(`cannot read the folder of kubelet configurations ${directory}`, error);
  });
  const wanted = names.filter((name) => name.endsWith('.conf')).toSorted();
  if (wanted.length > DROP_INS_MAX) throw new UsageError(`${directory}: more than ${DROP_INS_MAX} files`);
  const documents: Document[] = [];
  for (const name of wanted) {
    const path = join(directory, name);
    documents.push({ path, fields: await readDocument(path) });
  }
  return documents;
}

async function readDocument(path: string): Promise<Document['fields']> {
  const { readYaml } = await import('@binnacle/machinery/yaml');
  const parsed = await readFile(path, 'utf8')
    .then((content) => readYaml(content).value as { readonly [field: string]: unknown } | undefined)
    .catch((error: unknown) => {
      throw new UsageError(`cannot read the kubelet configuration ${path}`, error);
    });
  if (typeof parsed !== 'object' || parsed === null || parsed['kind'] !== 'KubeletConfiguration') {
    throw new UsageError(`${path}: expected kind KubeletConfiguration`);
  }
  return parsed;
}

function readFields({ path, fields: parsed }: Document): KubeletFile {
  const fields = Object.entries(parsed).filter(([field, value]) => !OTHERS.has(field) && !isAsItIs(field, value));
  const unknown = fields.filter(([field]) => !Object.hasOwn(FIELDS, field)).map(([field]) => field);
  if (unknown.length > 0) throw new UsageError(`${path}: fields that are not supported yet: ${unknown.join(', ')}`);
  const config: Partial<KubeletConfig> = Object.assign(
    {},
    ...fields.map(([field, value]) => readField(path, field, value)),
  );
  if (parsed['fileCheckFrequency'] !== undefined) readField(path, 'fileCheckFrequency', parsed['fileCheckFrequency']);
  const { staticPodPath } = parsed;
  return {
    ...(staticPodPath === undefined ? {} : { staticPodPath: resolve(dirname(path), text(staticPodPath)) }),
    config,
  };
}

/** Flags win over the file. */
export function withFlags(
  config: Partial<KubeletConfig>,
  flags: { readonly nodeStatusUpdateFrequency?: number },
): Partial<KubeletConfig> {
  const { nodeStatusUpdateFrequency: nodeStatusUpdateMs } = flags;
  return nodeStatusUpdateMs === undefined ? config : { ...config, nodeStatusUpdateMs };
}

function isAsItIs(field: string, value: unknown): boolean {
  const known = Object.hasOwn(AS_IT_IS, field) ? AS_IT_IS[field] : undefined;
  return known?.some((one) => JSON.stringify(one) === JSON.stringify(value)) === true;
}

function readField(path: string, field: string, value: unknown): Partial<KubeletConfig> {
  const reader: Reader = FIELDS[field] ?? ((duration) => (milliseconds(duration), {}));
  try {
    return reader(value);
  } catch (error) {
    throw new UsageError(`${path}: ${field}: ${messageOf(error)}`, error);
  }
}

/** A duration; zero is the default, as tools write what they do not set. */
function period(field: keyof KubeletConfig): Reader {
  return (value) => {
    const ms = milliseconds(value);
    return ms === 0 ? {} : { [field]: ms };
  };
}

function table(value: unknown): { readonly [name: string]: unknown } {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new UsageError(`${JSON.stringify(value)} is no table of names and values`);
}

function textTable(value: unknown): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(table(value)).map(([name, one]) => [name, text(one)]));
}

function percent(value: unknown): number {
  const number = whole(value, 0);
  if (number > 100) throw new UsageError(`${number} is more than 100 percent`);
  return number;
}

const RESERVABLE = ['cpu', 'memory', 'ephemeral-storage'];

function reserved(value: unknown): KubeletConfig['kubeReserved'] {
  const amounts = textTable(value);
  const unknown = Object.keys(amounts).filter((name) => !RESERVABLE.includes(name));
  if (unknown.length > 0) throw new UsageError(`cannot be reserved: ${unknown.join(', ')}`);
  return {
    milliCpu: quantityMilliValue(amounts['cpu'] ?? '0'),
    memoryBytes: quantityValue(amounts['memory'] ?? '0'),
    ephemeralStorageBytes: quantityValue(amounts['ephemeral-storage'] ?? '0'),
  };
}

function taints(value: unknown): KubeletConfig['nodeTaints'] {
  if (!Array.isArray(value)) throw new UsageError(`${JSON.stringify(value)} is no list`);
  return value.map((one) => {
    const { key, value: of, effect, ...others } = textTable(one);
    const unknown = Object.keys(others);
    if (key === undefined || effect === undefined || unknown.length > 0)
      throw new UsageError(`${JSON.stringify(one)} is no taint: it has a key and an effect, and may have a value`);
    return { key, effect, ...(of === undefined ? {} : { value: of }) } as KubeletConfig['nodeTaints'][number];
  });
}

/** Zero, or a second at the least. */
function wholeSeconds(value: unknown): number {
  const ms = milliseconds(value);
  if (ms > 0 && ms < 1000) throw new UsageError(`${text(value)} must be either zero or otherwise >= 1 sec`);
  return ms;
}

function shutdownPeriods(value: unknown): KubeletConfig['shutdownGraceByPriority'] {
  if (!Array.isArray(value)) throw new UsageError(`${JSON.stringify(value)} is no list`);
  return value.map((one) => {
    const { priority, shutdownGracePeriodSeconds, ...others } = table(one);
    const [unknown] = Object.keys(others);
    if (unknown !== undefined || !Number.isSafeInteger(priority))
      throw new UsageError(`${JSON.stringify(one)} is no period: it has a priority and shutdownGracePeriodSeconds`);
    return { priority: priority as number, seconds: whole(shutdownGracePeriodSeconds, 0) };
  });
}

/** What fields must not say together. Throws UsageError. */
function checkTogether(path: string, config: Partial<KubeletConfig>): Partial<KubeletConfig> {
  const { shutdownGraceMs: all = 0, shutdownGraceCriticalMs: critical = 0, shutdownGraceByPriority = [] } = config;
  if (critical > all) throw new UsageError(`${path}: shutdownGracePeriodCriticalPods must be <= shutdownGracePeriod`);
  if (all > 0 && shutdownGraceByPriority.length > 0)
    throw new UsageError(
      `${path}: cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time`,
    );
  const { reservedCpus, kubeReserved, systemReserved } = config;
  const reservedMilli = (kubeReserved?.milliCpu ?? 0) + (systemReserved?.milliCpu ?? 0);
  if (config.cpuManagerPolicy === 'static' && reservedCpus === undefined && reservedMilli === 0)
    throw new UsageError(
      `${path}: cpuManagerPolicy static needs CPUs that are reserved: reservedSystemCPUs, or cpu in kubeReserved or systemReserved`,
    );
  return reservedCpus === undefined ? config : { ...config, ...reservedByName(config, reservedCpus.length) };
}

/** CPUs reserved by name go before those reserved by amount. */
function reservedByName(
  { kubeReserved, systemReserved }: Partial<KubeletConfig>,
  count: number,
): Partial<KubeletConfig> {
  const none = { milliCpu: 0, memoryBytes: 0, ephemeralStorageBytes: 0 };
  return {
    kubeReserved: { ...none, ...kubeReserved, milliCpu: 0 },
    systemReserved: { ...none, ...systemReserved, milliCpu: count * 1000 },
  };
}

function oneOf<T extends string>(value: unknown, all: readonly [T, ...T[]]): T {
  const wanted = text(value);
  const found = wanted === '' ? all[0] : all.find((one) => one === wanted);
  if (found === undefined) throw new UsageError(`${wanted} is not supported: ${all.join(', ')} are`);
  return found;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new UsageError(`${JSON.stringify(value)} is no text`);
  return value;
}

function texts(value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw new UsageError(`${JSON.stringify(value)} is no list`);
  return value.map(text);
}

function flag(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new UsageError(`${JSON.stringify(value)} is neither true nor false`);
  return value;
}

function whole(value: unknown, least: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError(`${JSON.stringify(value)} is no whole number from ${least}`);
}

function bytes(value: unknown): number {
  return quantityValue(text(value));
}

function milliseconds(value: unknown): number {
  return parseDuration(text(value));
}
