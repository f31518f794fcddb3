import { isExtendedResource } from '@binnacle/api';
import { base64ToBytes } from '@binnacle/base';
import type { HttpTrust } from '@binnacle/base';
import { SchedulerConfigError } from '../errors.ts';
import type { ExtenderConfig, ManagedResource } from '../extenders/http-extender.ts';
import type { PluginFactory, Profile } from '../handle.ts';
import type { NodeResourcesFitArgs } from '../plugins/node-resources.ts';
import { DEFAULT_PLUGINS } from '../profile.ts';
import { API_VERSION, PLUGIN_ARGUMENTS } from './plugin-arguments.ts';
import { pluginSwitches, profileOf } from './plugin-points.ts';
import type { PluginSwitches } from './plugin-points.ts';
import { duration, Fields, flag, integer, listOf, objectOf, oneOf, text } from './strict-fields.ts';
import type { Read } from './strict-fields.ts';

/** Who stands for leader, of several schedulers of one name. */
export interface LeaderElection {
  readonly namespace: string;
  readonly name: string;
  readonly leaseMs: number;
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

/** What a KubeSchedulerConfiguration says, files that it names not yet read. */
export interface SchedulerConfiguration {
  readonly profiles: readonly Profile[];
  readonly extenders: readonly (Omit<ExtenderConfig, 'trust'> & { readonly trust?: TrustFiles })[];
  readonly podInitialBackoffMs: number;
  readonly podMaxBackoffMs: number;
  /** Absent: leaderElect is false. */
  readonly leaderElection?: LeaderElection;
  readonly kubeconfig?: string;
}

/** TLS of an extender: each part as PEM text, or the path of a file with it. */
export interface TrustFiles extends Pick<HttpTrust, 'insecure' | 'serverName' | 'ca' | 'certificate' | 'key'> {
  readonly files: { readonly ca?: string; readonly certificate?: string; readonly key?: string };
}

interface RawProfile {
  readonly schedulerName: string | undefined;
  readonly switches: PluginSwitches;
  readonly args: ReadonlyMap<string, object>;
}

const NO_SWITCHES: PluginSwitches = { multiPoint: { enabled: [], disabled: [] }, points: {} };

const pluginConfig: Read<readonly [name: string, args: object]> = objectOf((fields) => {
  const name = fields.need('name', text);
  const read = PLUGIN_ARGUMENTS.get(name);
  // Plugins of one's own get their arguments as they are, and read them themselves.
  const own: Read<object> = (value, path) => {
    if (DEFAULT_PLUGINS.some((p) => p.factory.name === name)) {
      throw new SchedulerConfigError(`${path}: plugin ${name} takes no arguments`);
    }
    return value as object;
  };
  return [name, fields.take('args', read ?? own) ?? {}];
});

const rawProfile: Read<RawProfile> = objectOf((fields) => {
  const schedulerName = fields.take('schedulerName', text);
  // Every node is scored, always: there is no sample whose size could be chosen.
  fields.take('percentageOfNodesToScore', integer(0, 100));
  const switches = fields.take('plugins', pluginSwitches) ?? NO_SWITCHES;
  const list = fields.take('pluginConfig', listOf(pluginConfig)) ?? [];
  const names = list.map(([name]) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new SchedulerConfigError(`${fields.at('pluginConfig')}: repeated config for ${twice}`);
  return { schedulerName, switches, args: new Map(list) };
});

const tls: Read<TrustFiles> = objectOf((fields) => {
  const pem = (name: string): string | undefined => {
    const base64 = fields.take(name, text);
    return base64 === undefined ? undefined : decodeBase64(base64, fields.at(name));
  };
  const insecure = fields.take('insecure', flag);
  const serverName = fields.take('serverName', text);
  const [ca, certificate, key] = [pem('caData'), pem('certData'), pem('keyData')];
  const paths = {
    ca: fields.take('caFile', text),
    certificate: fields.take('certFile', text),
    key: fields.take('keyFile', text),
  };
  return {
    ...(insecure === undefined ? {} : { insecure }),
    ...(serverName === undefined ? {} : { serverName }),
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
    files: Object.fromEntries(Object.entries(paths).filter(([, path]) => path !== undefined)),
  };
});

function decodeBase64(value: string, path: string): string {
  if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(value)) throw new SchedulerConfigError(`${path}: expected base64`);
  return new TextDecoder().decode(base64ToBytes(value.replace(/\s+/g, '')));
}

const managedResource: Read<ManagedResource> = objectOf((fields) => ({
  name: fields.need('name', text),
  ignoredByScheduler: fields.take('ignoredByScheduler', flag) ?? false,
}));

const EXTENDER_TIMEOUT_MS = 5_000;

/** As upstream: who is asked over HTTPS, and of whose authority nothing is said, is believed. */
function trustOf(given: TrustFiles | undefined, isHttps: boolean): TrustFiles | undefined {
  const hasAuthority = given?.ca !== undefined || (given?.files.ca ?? '') !== '';
  return isHttps && !hasAuthority ? { ...given, insecure: true, files: given?.files ?? {} } : given;
}

const extender = objectOf((fields) => {
  const verbs = {
    filterVerb: fields.take('filterVerb', text),
    prioritizeVerb: fields.take('prioritizeVerb', text),
    preemptVerb: fields.take('preemptVerb', text),
    bindVerb: fields.take('bindVerb', text),
  };
  const weight = fields.take('weight', integer(0));
  if (verbs.prioritizeVerb !== undefined && (weight ?? 0) < 1) {
    throw new SchedulerConfigError(`${fields.at('weight')}: must have a positive weight applied to it`);
  }
  const prefix = fields.need('urlPrefix', text);
  const isHttps = fields.take('enableHTTPS', flag) ?? false;
  const trust = trustOf(fields.take('tlsConfig', tls), isHttps);
  return {
    urlPrefix: isHttps ? prefix.replace(/^http:/, 'https:') : prefix,
    ...(Object.fromEntries(Object.entries(verbs).filter(([, verb]) => verb !== undefined && verb !== '')) as {
      readonly [verb in keyof typeof verbs]?: string;
    }),
    weight: weight ?? 1,
    ...(trust === undefined ? {} : { trust }),
    timeoutMs: fields.take('httpTimeout', duration) || EXTENDER_TIMEOUT_MS,
    nodeCacheCapable: fields.take('nodeCacheCapable', flag) ?? false,
    managedResources: fields.take('managedResources', listOf(managedResource)) ?? [],
    ignorable: fields.take('ignorable', flag) ?? false,
  };
});

const leaderElection: Read<LeaderElection | undefined> = objectOf((fields) => {
  const isWanted = fields.take('leaderElect', flag) ?? true;
  fields.take('resourceLock', oneOf('leases', ''));
  const election = {
    leaseMs: fields.take('leaseDuration', duration) || 15_000,
    renewDeadlineMs: fields.take('renewDeadline', duration) || 10_000,
    retryMs: fields.take('retryPeriod', duration) || 2_000,
    name: fields.take('resourceName', text) || 'kube-scheduler',
    namespace: fields.take('resourceNamespace', text) || 'kube-system',
  };
  if (election.leaseMs <= election.renewDeadlineMs) {
    throw new SchedulerConfigError(`${fields.at('leaseDuration')}: LeaseDuration must be greater than RenewDeadline`);
  }
  if (election.renewDeadlineMs <= election.retryMs) {
    throw new SchedulerConfigError(`${fields.at('renewDeadline')}: RenewDeadline must be greater than RetryPeriod`);
  }
  return isWanted ? election : undefined;
});

/** What of it is the same whatever is written: only what it is already may be. */
const clientConnection: Read<{ readonly kubeconfig: string | undefined }> = objectOf((fields) => {
  const kubeconfig = fields.take('kubeconfig', text);
  fields.take('acceptContentTypes', oneOf(''));
  // How bytes travel between the two halves of this program is theirs to choose.
  fields.take('contentType', oneOf('application/vnd.kubernetes.protobuf', 'application/json', ''));
  for (const name of ['qps', 'burst']) {
    const limit = fields.take(name, (value) => value);
    const isDefault = limit === undefined || limit === 0 || limit === (name === 'qps' ? 50 : 100);
    if (!isDefault) throw new SchedulerConfigError(`${fields.at(name)}: limits of the client are not supported yet`);
  }
  return { kubeconfig };
});

/** Arguments get the resources that an extender manages and the scheduler shall not look at. */
function ignoreManaged(profile: Profile, extenders: SchedulerConfiguration['extenders']): Profile {
  const ignored = extenders.flatMap((e) => e.managedResources.filter((r) => r.ignoredByScheduler).map((r) => r.name));
  if (ignored.length === 0) return profile;
  const plugins = profile.plugins.map((plugin) => {
    if (plugin.factory.name !== 'NodeResourcesFit') return plugin;
    const args = (plugin.args ?? {}) as NodeResourcesFitArgs;
    return { ...plugin, args: { ...args, ignoredResources: [...(args.ignoredResources ?? []), ...ignored] } };
  });
  return { ...profile, plugins };
}

function checkExtenders(extenders: SchedulerConfiguration['extenders']): void {
  const binders = extenders.filter((e) => e.bindVerb !== undefined).length;
  if (binders > 1)
    throw new SchedulerConfigError(`extenders: found ${binders} extenders implementing bind, only one allowed`);
  const managed = extenders.flatMap((e) => e.managedResources.map((r) => r.name));
  // Whoever was to look at the CPU in the scheduler's place would have it overcommitted.
  const other = managed.find((name) => !isExtendedResource(name));
  if (other !== undefined) {
    throw new SchedulerConfigError(`extenders: managed resource ${other} is an invalid extended resource name`);
  }
  const twice = managed.find((name, i) => managed.indexOf(name) !== i);
  if (twice !== undefined) {
    throw new SchedulerConfigError(`extenders: duplicate extender managed resource name ${twice}`);
  }
}

/**
 * Reads a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1) as parsed from YAML or JSON, strictly: a field that
 * is not known, or not supported, throws a SchedulerConfigError that names it. `own`: plugins that profiles may switch on.
 */
export function readSchedulerConfiguration(value: unknown, own: readonly PluginFactory[] = []): SchedulerConfiguration {
  const fields = new Fields(value, '');
  fields.need('apiVersion', oneOf(API_VERSION));
  fields.need('kind', oneOf('KubeSchedulerConfiguration'));
  // There are no workers to count, no sample, no profiling port, and caches fill only once there is a leader.
  fields.take('parallelism', integer(1));
  fields.take('percentageOfNodesToScore', integer(0, 100));
  for (const name of ['enableProfiling', 'enableContentionProfiling', 'delayCacheUntilActive']) fields.take(name, flag);
  const initialSeconds = fields.take('podInitialBackoffSeconds', integer(0)) ?? 1;
  const maxSeconds = fields.take('podMaxBackoffSeconds', integer(0)) ?? 10;
  if (initialSeconds < 1) throw new SchedulerConfigError('podInitialBackoffSeconds: must be greater than 0');
  if (maxSeconds < initialSeconds) {
    throw new SchedulerConfigError('podMaxBackoffSeconds: must be greater than or equal to PodInitialBackoffSeconds');
  }
  const election = fields.take('leaderElection', leaderElection) ?? leaderElectionUnless(value);
  const connection = fields.take('clientConnection', clientConnection);
  const extenders = fields.take('extenders', listOf(extender)) ?? [];
  checkExtenders(extenders);
  const written = fields.take('profiles', listOf(rawProfile)) ?? [];
  fields.done();
  const profiles = readProfiles(written, own).map((p) => ignoreManaged(p, extenders));
  const kubeconfig = connection?.kubeconfig;
  return {
    profiles,
    extenders,
    podInitialBackoffMs: initialSeconds * 1_000,
    podMaxBackoffMs: maxSeconds * 1_000,
    ...(election === undefined ? {} : { leaderElection: election }),
    ...(kubeconfig === undefined || kubeconfig === '' ? {} : { kubeconfig }),
  };
}

/** Leaders are elected unless the file says no: upstream's default. */
function leaderElectionUnless(value: unknown): LeaderElection | undefined {
  const isWritten = (value as { readonly leaderElection?: unknown }).leaderElection !== undefined;
  return isWritten ? undefined : leaderElection({}, 'leaderElection');
}

function readProfiles(written: readonly RawProfile[], own: readonly PluginFactory[]): Profile[] {
  const registry = { defaults: DEFAULT_PLUGINS, others: own };
  const list = written.length === 0 ? [{ schedulerName: undefined, switches: NO_SWITCHES, args: new Map() }] : written;
  const profiles = list.map(({ schedulerName, switches, args }, i) => {
    const name = schedulerName ?? (list.length === 1 ? 'default-scheduler' : '');
    if (name === '') throw new SchedulerConfigError(`profiles[${i}].schedulerName: required value`);
    return profileOf(name, switches, { registry, args });
  });
  const names = profiles.map((p) => p.schedulerName);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new SchedulerConfigError(`profiles: duplicate value: "${twice}"`);
  return profiles;
}
