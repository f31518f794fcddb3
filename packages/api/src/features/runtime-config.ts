import type { ResourceInfo } from '../kind.ts';
import { RESOURCES, RESOURCES_ON_REQUEST } from '../resources.ts';
import type { Features } from './choose-features.ts';
import { parseTruth, truthProblem } from './flag-texts.ts';

/** Groups and versions of v1.36 that upstream serves on request and that are not built here, but for what is on request here too. */
const OTHER_VERSIONS: ReadonlySet<string> = new Set([
  ...['admissionregistration.k8s.io/v1alpha1', 'admissionregistration.k8s.io/v1beta1'],
  ...['certificates.k8s.io/v1alpha1', 'coordination.k8s.io/v1alpha2', 'coordination.k8s.io/v1beta1'],
  ...['internal.apiserver.k8s.io/v1alpha1', 'networking.k8s.io/v1beta1', 'resource.k8s.io/v1alpha3'],
  ...['resource.k8s.io/v1beta1', 'resource.k8s.io/v1beta2', 'scheduling.k8s.io/v1alpha2', 'storage.k8s.io/v1beta1'],
  'storagemigration.k8s.io/v1beta1',
]);

/** Keys for all versions of a stage, in the order in which they count. */
const STAGES = ['api/all', 'api/ga', 'api/beta', 'api/alpha'] as const;

const versionOf = ({ group, version }: ResourceInfo): string => `${group}/${version}`;
const nameOf = (info: ResourceInfo): string => `${versionOf(info)}/${info.resource}`;

const SERVED: ReadonlySet<string> = new Set(RESOURCES.map(versionOf));
const REQUESTABLE: ReadonlySet<string> = new Set(RESOURCES_ON_REQUEST.map(versionOf));
const GROUPS: ReadonlySet<string> = new Set(
  [...SERVED, ...REQUESTABLE, ...OTHER_VERSIONS].map((version) => version.slice(0, version.indexOf('/'))),
);

/** By which feature gate a resource is served at all. */
const GATES: { readonly [resource: string]: keyof Features } = { clustertrustbundles: 'ClusterTrustBundle' };

/** What is served beside that which always is, or what is wrong with the wish. */
export type Requested =
  | {
      readonly resources: readonly ResourceInfo[];
      /** Asked for, and not served as its gate is off. */
      readonly withoutGate: readonly { readonly resource: string; readonly gate: string }[];
    }
  | { readonly problem: string };

/**
 * What a runtime configuration asks for: stages, then versions, then resources, each over the ones before. What is always
 * served here cannot be switched off, and what is not built not on: both are refused by name.
 */
export function requestedResources(config: ReadonlyMap<string, string>, features: Features): Requested {
  const problem = firstProblem(config);
  if (problem !== undefined) return { problem };
  const wanted = RESOURCES_ON_REQUEST.filter((info) => isWanted(info, config));
  const gateOf = ({ resource }: ResourceInfo): keyof Features | undefined => GATES[resource];
  const isOff = (info: ResourceInfo): boolean => {
    const gate = gateOf(info);
    return gate !== undefined && !features[gate];
  };
  return {
    resources: wanted.filter((info) => !isOff(info)),
    withoutGate: wanted.filter(isOff).map((info) => ({ resource: info.resource, gate: gateOf(info) ?? '' })),
  };
}

function isWanted(info: ResourceInfo, config: ReadonlyMap<string, string>): boolean {
  const keys = [...STAGES.filter((stage) => isOf(stage, info.version)), versionOf(info), nameOf(info)];
  const said = keys.flatMap((key) => {
    const text = config.get(key);
    return text === undefined ? [] : [text === '' || parseTruth(text) === true];
  });
  return said.at(-1) ?? false;
}

function isOf(stage: (typeof STAGES)[number], version: string): boolean {
  if (stage === 'api/all') return true;
  const sort = /^v\d+(?:(alpha|beta)\d+)?$/.exec(version);
  return sort !== null && stage === `api/${sort[1] ?? 'ga'}`;
}

function firstProblem(config: ReadonlyMap<string, string>): string | undefined {
  if (config.get('api/all') === 'false' && config.size === 1) return 'invalid key with only api/all=false';
  const keys = [...config.keys()].filter((key) => !STAGES.some((stage) => stage === key));
  const odd = keys.find((key) => ![2, 3].includes(key.split('/').length));
  if (odd !== undefined) return `runtime-config invalid key ${odd}`;
  const unknown = keys.map((key) => key.split('/')[0] ?? '').filter((group) => !GROUPS.has(group));
  if (unknown.length > 0) return `unknown api groups ${unknown.join(',')}`;
  for (const [key, text] of config) {
    const problem = STAGES.some((stage) => stage === key) ? stageProblem(key, text) : keyProblem(key, text);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function stageProblem(stage: string, text: string): string | undefined {
  if (text !== 'true' && text !== 'false') return `invalid value ${stage}=${text}`;
  if (text === 'false' && (stage === 'api/all' || stage === 'api/ga')) return neverOff(stage);
  return text === 'true' && stage === 'api/alpha' ? notBuilt(stage) : undefined;
}

function keyProblem(key: string, text: string): string | undefined {
  const [group = '', name = '', resource] = key.split('/');
  const version = `${group}/${name}`;
  if (![SERVED, REQUESTABLE, OTHER_VERSIONS].some((known) => known.has(version))) {
    return `group version ${version} that has not been registered`;
  }
  const on = text === '' ? true : parseTruth(text);
  if (on === undefined) return `invalid value of ${key}: ${text}, err: ${truthProblem(text)}`;
  if (resource !== undefined && resource !== resource.toLowerCase()) {
    return `invalid key ${key}: group/version/resource and resource is always lowercase plural, not ${JSON.stringify(resource)}`;
  }
  if (OTHER_VERSIONS.has(version)) return on ? notBuilt(key) : undefined;
  const known = resource === undefined || [...RESOURCES, ...RESOURCES_ON_REQUEST].some((info) => nameOf(info) === key);
  if (!known) return on ? notBuilt(key) : undefined;
  return SERVED.has(version) && !on ? neverOff(key) : undefined;
}

function neverOff(key: string): string {
  return `${key} is always served here and cannot be switched off`;
}

function notBuilt(key: string): string {
  return `${key} is not supported here`;
}
