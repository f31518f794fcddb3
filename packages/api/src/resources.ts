import { RESOURCE_FACTS } from './generated/resources.ts';
import type { ResourceInfo } from './kind.ts';
import type { ResourceFacts } from './resource-facts.ts';

/** Short names by resource; a resource has the same in every group and version. */
const SHORT_NAMES: { readonly [resource: string]: readonly string[] } = {
  certificatesigningrequests: ['csr'],
  componentstatuses: ['cs'],
  configmaps: ['cm'],
  cronjobs: ['cj'],
  customresourcedefinitions: ['crd', 'crds'],
  daemonsets: ['ds'],
  deployments: ['deploy'],
  endpoints: ['ep'],
  events: ['ev'],
  horizontalpodautoscalers: ['hpa'],
  ingresses: ['ing'],
  ipaddresses: ['ip'],
  limitranges: ['limits'],
  namespaces: ['ns'],
  networkpolicies: ['netpol'],
  nodes: ['no'],
  persistentvolumeclaims: ['pvc'],
  persistentvolumes: ['pv'],
  poddisruptionbudgets: ['pdb'],
  pods: ['po'],
  priorityclasses: ['pc'],
  replicasets: ['rs'],
  replicationcontrollers: ['rc'],
  resourcequotas: ['quota'],
  serviceaccounts: ['sa'],
  services: ['svc'],
  statefulsets: ['sts'],
  storageclasses: ['sc'],
  volumeattributesclasses: ['vac'],
};

const ALL = ['all'];
const EXTENSIONS = ['api-extensions'];
const CATEGORIES: { readonly [resource: string]: readonly string[] } = {
  apiservices: EXTENSIONS,
  cronjobs: ALL,
  customresourcedefinitions: EXTENSIONS,
  daemonsets: ALL,
  deployments: ALL,
  horizontalpodautoscalers: ALL,
  jobs: ALL,
  mutatingadmissionpolicies: EXTENSIONS,
  mutatingadmissionpolicybindings: EXTENSIONS,
  mutatingwebhookconfigurations: EXTENSIONS,
  pods: ALL,
  replicasets: ALL,
  replicationcontrollers: ALL,
  services: ALL,
  statefulsets: ALL,
  validatingadmissionpolicies: EXTENSIONS,
  validatingadmissionpolicybindings: EXTENSIONS,
  validatingwebhookconfigurations: EXTENSIONS,
};

/** Store prefixes that are not the resource's name: upstream keeps what Kubernetes 1.0 wrote. */
const STORAGE_PREFIXES: { readonly [resource: string]: string } = {
  apiservices: 'apiregistration.k8s.io/apiservices',
  customresourcedefinitions: 'apiextensions.k8s.io/customresourcedefinitions',
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
};

/** The struct of the schema table that a kind of a group and version has: `core.v1.Pod`. */
export function schemaName(group: string, version: string, kind: string): string {
  const dot = group.indexOf('.');
  const short = group === '' ? 'core' : dot === -1 ? group : group.slice(0, dot);
  return `${short}.${version}.${kind}`;
}

function complete(facts: ResourceFacts): ResourceInfo {
  const { group, version, resource, kind } = facts;
  const storage = facts.storage ?? { group, version };
  return {
    group,
    version,
    resource,
    singular: kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    namespaced: facts.namespaced,
    shortNames: SHORT_NAMES[resource] ?? [],
    categories: CATEGORIES[resource] ?? [],
    verbs: facts.verbs,
    subresources: facts.subresources,
    schema: schemaName(group, version, kind),
    virtual: facts.storage === undefined,
    storagePrefix: facts.storage === undefined ? '' : (STORAGE_PREFIXES[resource] ?? resource),
    storage: { ...storage, kind },
    ...(facts.storageVersionHash === undefined ? {} : { storageVersionHash: facts.storageVersionHash }),
  };
}

/** Every resource of the GA groups of v1.36, sorted by group, version and name: one entry per served version. */
export const RESOURCES: readonly ResourceInfo[] = RESOURCE_FACTS.filter(({ onRequest }) => onRequest !== true).map(
  complete,
);

/** What is served beside them where `--runtime-config` and a feature gate say so. */
export const RESOURCES_ON_REQUEST: readonly ResourceInfo[] = RESOURCE_FACTS.filter(
  ({ onRequest }) => onRequest === true,
).map(complete);

const KNOWN: readonly ResourceInfo[] = [...RESOURCES, ...RESOURCES_ON_REQUEST];

const BY_RESOURCE: ReadonlyMap<string, ResourceInfo> = new Map(
  KNOWN.map((info) => [`${info.group}/${info.version}/${info.resource}`, info]),
);
const BY_KIND: ReadonlyMap<string, ResourceInfo> = new Map(
  KNOWN.map((info) => [`${info.group}/${info.version}/${info.kind}`, info]),
);

/** The resource under a group (empty: core), version and plural name, served always or on request. */
export function findResource(group: string, version: string, resource: string): ResourceInfo | undefined {
  return BY_RESOURCE.get(`${group}/${version}/${resource}`);
}

/** The resource whose objects are of a kind; undefined for kinds that only subresources and options have. */
export function findKind(group: string, version: string, kind: string): ResourceInfo | undefined {
  return BY_KIND.get(`${group}/${version}/${kind}`);
}
