import { readFile, readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '@binnacle/base';
import type { GateWishes } from '@binnacle/api';
import { applyMergePatch, quantityMilliValue, quantityValue } from '@binnacle/machinery';
import { VERIFICATION_POLICIES, parseCpuSet, readAllowlist } from '@binnacle/kubelet';
import type { KubeletConfig } from '@binnacle/kubelet';
import { UsageError } from '../errors.ts';
import {
  bytes,
  flag,
  milliseconds,
  oneOf,
  percent,
  table,
  text,
  textTable,
  texts,
  whole,
  wholeSeconds,
} from './config-values.ts';
import type { Fields } from './config-values.ts';
import { podsGroup } from './cgroup-root.ts';
import { isAsItIs } from './kubelet-config-as-it-is.ts';
import { checkTogether } from './kubelet-config-checks.ts';
import { parseDuration } from './duration.ts';
import { chosen } from './feature-choice.ts';
import { MANIFEST_ADDRESS_FIELDS, type ManifestAddress, manifestAddress } from './manifest-address.ts';
import { TOPOLOGY_POLICIES, reservedMemory, topologyOptions } from './memory-and-topology.ts';

/** What a kubelet's `--config` file says. */
export interface KubeletFile {
  readonly staticPodPath?: string;
  /** Where static pods are asked for; headers by name, the period in milliseconds. */
  readonly staticPodURL?: ManifestAddress;
  readonly config: Partial<KubeletConfig>;
  /** Its certificate is renewed before it ends. */
  readonly rotateCertificates?: boolean;
  /** Of its own port. */
  readonly server?: {
    readonly port?: number;
    readonly tlsCertFile?: string;
    readonly tlsPrivateKeyFile?: string;
    readonly clientCAFile?: string;
    /** Its certificate is asked for by a CertificateSigningRequest. */
    readonly serverTLSBootstrap?: true;
  };
}

/** How a field is read: into the kubelet's own configuration. Throws what is wrong with the value. */
type Reader = (value: unknown) => Partial<KubeletConfig>;

const FIELDS: { readonly [field: string]: Reader } = {
  allowedUnsafeSysctls: (value) => ({ allowedUnsafeSysctls: texts(value) }),
  cgroupRoot: (value) => ({ cgroupRoot: podsGroup(text(value)) }),
  clusterDNS: (value) => ({ clusterDNS: texts(value) }),
  clusterDomain: (value) => ({ clusterDomain: text(value) }),
  containerLogMaxFiles: (value) => ({ logMaxFiles: whole(value, 2) }),
  containerLogMaxSize: (value) => ({ logMaxBytes: bytes(value) }),
  // How many files are turned over at once nobody sees.
  containerLogMaxWorkers: (value) => (whole(value, 1), {}),
  containerLogMonitorInterval: (value) => ({ logCheckPeriodMs: milliseconds(value) }),
  crashLoopBackOff: (value) => crashLoop(table(value)),
  cpuManagerPolicy: (value) => ({ cpuManagerPolicy: oneOf(value, ['none', 'static']) }),
  enableDebugFlagsHandler: (value) => ({ hasDebugFlags: flag(value) }),
  enableDebuggingHandlers: (value) => ({ hasDebugging: flag(value) }),
  enforceNodeAllocatable: (value) => ({ holdsPods: enforced(texts(value)) }),
  evictionHard: (value) => ({ evictionHard: textTable(value) }),
  evictionMaxPodGracePeriod: (value) => ({ evictionMaxPodGraceSeconds: whole(value, 0) }),
  evictionMinimumReclaim: (value) => ({ evictionMinimumReclaim: textTable(value) }),
  evictionPressureTransitionPeriod: period('evictionPressureTransitionMs'),
  evictionSoft: (value) => ({ evictionSoft: textTable(value) }),
  evictionSoftGracePeriod: (value) => ({
    evictionSoftGraceMs: Object.fromEntries(Object.entries(textTable(value)).map(([k, v]) => [k, parseDuration(v)])),
  }),
  // Held to what there is together with the flags.
  featureGates: (value) => ({
    featureGates: Object.fromEntries(Object.entries(table(value)).map(([gate, on]) => [gate, flag(on)])),
  }),
  imageGCHighThresholdPercent: (value) => ({ imageGCHighPercent: percent(value) }),
  imageGCLowThresholdPercent: (value) => ({ imageGCLowPercent: percent(value) }),
  imageMaximumGCAge: (value) => ({ imageMaximumAgeMs: milliseconds(value) }),
  imageMinimumGCAge: period('imageMinimumAgeMs'),
  // Written by tools that set nothing: the default.
  imagePullCredentialsVerificationPolicy: (value) =>
    value === '' ? {} : { imageVerification: oneOf(value, VERIFICATION_POLICIES) },
  kubeReserved: (value) => ({ kubeReserved: reserved(value) }),
  maxPods: (value) => ({ maxPods: whole(value, 0) }),
  memoryManagerPolicy: (value) => ({ memoryManagerPolicy: oneOf(value, ['None', 'Static']) }),
  nodeLeaseDurationSeconds: (value) => {
    const seconds = whole(value, 1);
    return { leaseDurationSeconds: seconds, leasePeriodMs: seconds * 250 };
  },
  nodeStatusMaxImages: (value) => ({ nodeStatusMaxImages: whole(value, -1) }),
  nodeStatusReportFrequency: period('nodeStatusPeriodMs'),
  nodeStatusUpdateFrequency: period('nodeStatusUpdateMs'),
  podPidsLimit: (value) => ({ podPidsLimit: Math.max(-1, whole(value, Number.MIN_SAFE_INTEGER)) }),
  podsPerCore: (value) => ({ podsPerCore: whole(value, 0) }),
  podLogsDir: (value) => ({ podLogsDirectory: text(value) }),
  preloadedImagesVerificationAllowlist: (value) => {
    readAllowlist(texts(value));
    return { imageAllowlist: texts(value) };
  },
  providerID: (value) => ({ providerID: text(value) }),
  registerNode: (value) => ({ registerNode: flag(value) }),
  registerWithTaints: (value) => ({ nodeTaints: taints(value) }),
  reservedMemory: (value) => ({ reservedMemory: reservedMemory(value) }),
  reservedSystemCPUs: (value) => {
    const cpus = parseCpuSet(text(value), 'reservedSystemCPUs');
    return cpus.length === 0 ? {} : { reservedCpus: cpus };
  },
  resolvConf: (value) => ({ resolvConf: text(value) }),
  seccompDefault: (value) => ({ seccompDefault: flag(value) }),
  shutdownGracePeriod: (value) => ({ shutdownGraceMs: wholeSeconds(value) }),
  shutdownGracePeriodByPodPriority: (value) => ({ shutdownGraceByPriority: shutdownPeriods(value) }),
  shutdownGracePeriodCriticalPods: (value) => ({ shutdownGraceCriticalMs: wholeSeconds(value) }),
  systemReserved: (value) => ({ systemReserved: reserved(value) }),
  topologyManagerPolicy: (value) => ({ topologyManagerPolicy: oneOf(value, TOPOLOGY_POLICIES) }),
  topologyManagerPolicyOptions: (value) => topologyOptions(textTable(value)),
  topologyManagerScope: (value) => ({ topologyManagerScope: oneOf(value, ['container', 'pod']) }),
  userNamespaces: (value) => userNamespaces(table(value)),
};

/** Read elsewhere, or true of what we do whatever they say: the folder of manifests is watched, not looked at at times. */
const OTHERS = new Set([
  ...['apiVersion', 'kind', 'staticPodPath', 'fileCheckFrequency', 'maxParallelImagePulls', 'serializeImagePulls'],
  ...['authentication', 'port', 'rotateCertificates', 'serverTLSBootstrap', 'tlsCertFile', 'tlsPrivateKeyFile'],
  ...['staticPodURL', 'staticPodURLHeader', 'httpCheckFrequency'],
]);

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
    : {
        ...file,
        ...readServer(last.path, fields),
        ...readAddress(last.path, fields),
        config: checkTogether(last.path, configOf({ path: last.path, fields })),
      };
}

/** Whether pods are held to what they may have together; groups of others (`kube-reserved`, `system-reserved`) are not ours to set. */
function enforced(values: readonly string[]): boolean {
  const other = values.find((value) => value !== 'pods' && value !== 'none');
  if (other !== undefined) throw new UsageError(`${other} is not supported: pods and none are`);
  if (values.includes('none') && values.length > 1) throw new UsageError('none cannot stand beside anything else');
  return values.includes('pods');
}

const ID_UNIT = 65_536;

/** How many ids a pod with users of its own has; upstream's words. */
function userNamespaces({ idsPerPod, ...others }: { readonly [field: string]: unknown }): Partial<KubeletConfig> {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new UsageError(`${unknown} is not supported`);
  if (idsPerPod === undefined || idsPerPod === null) return {};
  const ids = whole(idsPerPod, 0);
  if (ids < ID_UNIT) throw new UsageError(`userNamespaces.idsPerPod must not be less than ${ID_UNIT}`);
  if (ids % ID_UNIT !== 0) throw new UsageError(`userNamespaces.idsPerPod must be a multiple of ${ID_UNIT}`);
  if (ids >= 2 ** 32) throw new UsageError(`userNamespaces.idsPerPod must not be more than ${2 ** 32 - 1}`);
  return { idsPerPod: ids };
}

function configOf(document: Document): Partial<KubeletConfig> {
  return { ...readFields(document).config, ...readPulls(document) };
}

/** One at a time where neither field says otherwise; a number alone says that they need not be. */
function readPulls({ path, fields }: Document): Partial<KubeletConfig> {
  const { serializeImagePulls: serialize, maxParallelImagePulls: most } = fields;
  const read = <T>(field: string, reader: () => T): T => readOr(path, field, reader);
  const isSerial = serialize === undefined ? undefined : read('serializeImagePulls', () => flag(serialize));
  const count = most === undefined ? undefined : read('maxParallelImagePulls', () => whole(most, 1));
  if (isSerial === true && count !== undefined && count > 1) {
    throw new UsageError(`${path}: maxParallelImagePulls cannot be larger than 1 unless serializeImagePulls is false`);
  }
  if (isSerial === true) return { parallelPullsMax: 1 };
  if (count !== undefined) return { parallelPullsMax: count };
  return isSerial === false ? { parallelPullsMax: 0 } : {};
}

/** What is about the kubelet's own port, and as whom it speaks. */
function readServer(path: string, fields: Document['fields']): Pick<KubeletFile, 'server' | 'rotateCertificates'> {
  const { authentication, port, tlsCertFile, tlsPrivateKeyFile, serverTLSBootstrap: asks = false } = fields;
  const isAskedFor = readOr(path, 'serverTLSBootstrap', () => flag(asks));
  if (isAskedFor && Boolean(tlsCertFile))
    throw new UsageError(`${path}: serverTLSBootstrap and tlsCertFile each name a certificate: one of them`);
  const paths = Object.entries({ tlsCertFile, tlsPrivateKeyFile, ...clientCa(path, authentication) }).flatMap(
    ([field, value]) => (value === undefined || value === '' ? [] : [[field, readOr(path, field, () => text(value))]]),
  );
  const server = {
    ...(port === undefined ? {} : { port: readOr(path, 'port', () => whole(port, 1)) }),
    ...(Object.fromEntries(paths) as Partial<KubeletFile['server']>),
    ...(isAskedFor ? { serverTLSBootstrap: true as const } : {}),
  };
  const { rotateCertificates: rotates } = fields;
  return {
    ...(rotates === undefined ? {} : { rotateCertificates: readOr(path, 'rotateCertificates', () => flag(rotates)) }),
    ...(Object.keys(server).length === 0 ? {} : { server }),
  };
}

/** Callers are those whom a certificate or the API server vouches for, and nobody else. */
function clientCa(path: string, value: unknown): { readonly clientCAFile?: unknown } {
  if (value === undefined) return {};
  return readOr(path, 'authentication', () => {
    const { anonymous = {}, webhook = {}, x509 = {}, ...others } = table(value);
    const { clientCAFile, ...more } = table(x509);
    const { enabled = true, cacheTTL = '0s', ...rest } = table(webhook);
    const odd = [...Object.keys(others), ...Object.keys(more), ...Object.keys(rest)];
    if (odd.length > 0) throw new UsageError(`fields that are not supported yet: ${odd.join(', ')}`);
    if (table(anonymous)['enabled'] === true) throw new UsageError('anonymous callers are not supported yet');
    if (enabled !== true) throw new UsageError('webhook.enabled false is not supported yet');
    if (cacheTTL !== '0s' && cacheTTL !== '2m0s') throw new UsageError('another webhook.cacheTTL is not supported yet');
    return clientCAFile === undefined ? {} : { clientCAFile };
  });
}

/** Where static pods are asked for. */
function readAddress(path: string, fields: Document['fields']): Pick<KubeletFile, 'staticPodURL'> {
  const said = Object.entries(MANIFEST_ADDRESS_FIELDS).map(([field, read]) =>
    fields[field] === undefined || fields[field] === null ? {} : readOr(path, field, () => read(fields[field])),
  );
  const staticPodURL = manifestAddress(Object.assign({}, ...said));
  return staticPodURL === undefined ? {} : { staticPodURL };
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

/** Flags win over the file, of feature gates one by one. Throws UsageError for gates that cannot be. */
export function withFlags(
  config: Partial<KubeletConfig>,
  flags: { readonly nodeStatusUpdateFrequency?: number },
  gates: GateWishes,
): Partial<KubeletConfig> {
  const { nodeStatusUpdateFrequency: nodeStatusUpdateMs } = flags;
  const featureGates = chosen({ ...config.featureGates, ...gates });
  return { ...config, featureGates, ...(nodeStatusUpdateMs === undefined ? {} : { nodeStatusUpdateMs }) };
}

function readField(path: string, field: string, value: unknown): Partial<KubeletConfig> {
  const reader: Reader = FIELDS[field] ?? ((duration) => (milliseconds(duration), {}));
  return readOr(path, field, () => reader(value));
}

/** What is wrong with a value is told with its field. */
function readOr<T>(path: string, field: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`${path}: ${field}: ${messageOf(error)}`, error);
  }
}

/** How long a container that ends again and again waits at the most. */
function crashLoop({ maxContainerRestartPeriod: most, ...others }: Fields): Partial<KubeletConfig> {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new UsageError(`${unknown} is not supported yet`);
  if (most === undefined) return {};
  const ms = milliseconds(most);
  if (ms < 1_000 || ms > 300_000)
    throw new UsageError(`maxContainerRestartPeriod ${text(most)} must be between 1s and 300s`);
  return { restartBackoffMaxMs: ms };
}

/** A duration; zero is the default, as tools write what they do not set. */
function period(field: keyof KubeletConfig): Reader {
  return (value) => {
    const ms = milliseconds(value);
    return ms === 0 ? {} : { [field]: ms };
  };
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

/** Whether any value of a field of KubeletConfiguration is acted on. */
export function isHonoured(field: string): boolean {
  return OTHERS.has(field) || Object.hasOwn(FIELDS, field);
}
