import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '@binnacle/api';
import type { ResourceRef } from '@binnacle/api';
import type { ServiceCIDR } from '@binnacle/api/networking/v1';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '@binnacle/api/rbac/v1';
import { formatTime } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { ServerWorld } from '../ports/world.ts';
import { findUncovered } from '../access/rbac/rule-cover.ts';
import { addressText, firstAddress, parseCidr } from '../kinds/core/services/allocation/address.ts';
import {
  authenticationConfig,
  defaultServiceCidr,
  kubernetesService,
  systemNamespaces,
  systemPriorityClasses,
  tokenTracking,
} from './cluster-objects.ts';
import type { FrontProxies, WantedObject } from './cluster-objects.ts';
import {
  defaultClusterRoleBindings,
  defaultClusterRoles,
  defaultRoleBindings,
  defaultRoles,
} from '../access/default-roles/rbac-objects.ts';
import type { RoleFeatures } from '../access/default-roles/rbac-objects.ts';

type Binding = ClusterRoleBinding | RoleBinding;
type BootstrapWorld = Pick<ServerWorld, 'cache' | 'loopback' | 'update' | 'clock'>;

export interface BootstrapOptions {
  readonly serviceCidrs: readonly string[];
  readonly clientCa?: string;
  readonly frontProxies?: FrontProxies;
  readonly port: number;
  /** By which feature gates the first roles differ. */
  readonly features?: RoleFeatures;
}

/**
 * Writes what every cluster starts with. Only what is missing is written, in two waves whose writes go out
 * together, so that the store makes few commits of them: first what belongs to the cluster, then what lives in
 * the namespaces.
 */
export async function bootstrapCluster(world: BootstrapWorld, options: BootstrapOptions): Promise<void> {
  await ensureAll(world, [
    ...systemNamespaces(),
    ...systemPriorityClasses(),
    defaultServiceCidr(options.serviceCidrs),
    ...wanted(CLUSTER_ROLES, defaultClusterRoles(options.features)),
    ...wanted(CLUSTER_ROLE_BINDINGS, defaultClusterRoleBindings(options.features)),
  ]);
  const { port } = options;
  const clusterIps = options.serviceCidrs.map((cidr) => addressText(firstAddress(parseCidr(cidr))));
  await Promise.all([
    markCidrReady(world),
    ensureAll(world, [
      ...wanted(ROLES, defaultRoles()),
      ...wanted(ROLE_BINDINGS, defaultRoleBindings()),
      ...(options.clientCa === undefined ? [] : [authenticationConfig(options.clientCa, options.frontProxies)]),
      kubernetesService(clusterIps, port),
      tokenTracking(new Date(world.clock.now()).toISOString().slice(0, 10)),
    ]),
  ]);
}

function wanted<T extends KubeObject>(ref: ResourceRef<T>, objects: readonly T[]): WantedObject[] {
  return objects.map((object) => ({ ref, object }));
}

/** Writes what is missing of these, and mends what the server keeps as it should be. */
export async function ensureAll(world: BootstrapWorld, objects: readonly WantedObject[]): Promise<void> {
  await Promise.all(objects.map((one) => ensure(world, one)));
}

async function ensure(world: BootstrapWorld, { ref, object, onlyMissing }: WantedObject): Promise<void> {
  const { namespace = '' } = object.metadata;
  const existing = await find(world, { ref, object });
  if (existing !== undefined && onlyMissing === true) return;
  if (existing !== undefined) return bringUpToDate(world, { ref, object }, existing);
  try {
    const place = namespace === '' ? {} : { namespace };
    await world.loopback.call({ verb: 'create', resource: ref, ...place, body: object });
  } catch (error) {
    // Another API server on the same store was faster.
    if (!status.isAlreadyExists(error)) throw error;
  }
}

/** Endpoints are read from the store: their caches stand only once somebody asks for them. */
function find(
  { cache }: BootstrapWorld,
  { ref, object }: WantedObject,
): Promise<KubeObject | undefined> | KubeObject | undefined {
  const { namespace = '', name = '' } = object.metadata;
  return ref.resource.startsWith('endpoint') ? cache.getLive(ref, namespace, name) : cache.get(ref, namespace, name);
}

/**
 * What is there is the administrator's: only rules and subjects that are missing, a binding of another role, the
 * server's address and its CA are mended.
 */
async function bringUpToDate(
  world: BootstrapWorld,
  { ref, object }: WantedObject,
  existing: KubeObject,
): Promise<void> {
  const { namespace = '', name = '' } = object.metadata;
  if (bindsAnother(object, existing)) {
    // The role of a binding is for good: it is made anew, as upstream does.
    const place = namespace === '' ? {} : { namespace };
    await world.loopback.call({ verb: 'delete', resource: ref, ...place, name });
    await world.loopback.call({ verb: 'create', resource: ref, ...place, body: object });
    return;
  }
  const change = changeFor(ref.resource, object, existing);
  if (change === undefined) return;
  await world.update({ resource: ref, namespace, name }, (draft) => Object.assign(draft, change));
}

function changeFor(resource: string, object: KubeObject, existing: KubeObject): object | undefined {
  switch (resource) {
    case 'clusterroles':
    case 'roles':
      return missingRules(object as Role | ClusterRole, existing as Role | ClusterRole);
    case 'clusterrolebindings':
    case 'rolebindings':
      return missingSubjects(object as Binding, existing as Binding);
    case 'servicecidrs':
      return addsOf(missingFinalizers(object, existing), joiningRange(object, existing));
    case 'endpoints':
      return differing(object, existing, ['subsets']);
    case 'endpointslices':
      return differing(object, existing, ['endpoints', 'ports']);
    case 'configmaps':
      return differing(object, existing, ['data']);
    default:
      return undefined;
  }
}

function missingRules(role: Role | ClusterRole, existing: Role | ClusterRole): object | undefined {
  if (!isOurs(existing)) return undefined;
  // Aggregated rules are the follower's business.
  if ('aggregationRule' in role) return undefined;
  const missing = (role.rules ?? []).filter((rule) => findUncovered(existing.rules ?? [], [rule]).length > 0);
  return missing.length === 0 ? undefined : { rules: [...(existing.rules ?? []), ...missing] };
}

function missingFinalizers(object: KubeObject, { metadata }: KubeObject): object | undefined {
  const there = metadata.finalizers ?? [];
  const missing = (object.metadata.finalizers ?? []).filter((finalizer) => !there.includes(finalizer));
  if (missing.length === 0 || (metadata.deletionTimestamp ?? '') !== '') return undefined;
  return { metadata: { ...metadata, finalizers: [...there, ...missing] } };
}

/** A cluster of one family that is started with both: its Services may have addresses of the other one from now on. */
function joiningRange(object: KubeObject, existing: KubeObject): object | undefined {
  const [wanted, there] = [object as ServiceCIDR, existing as ServiceCIDR].map(({ spec }) => spec.cidrs ?? []);
  return wanted?.length === 2 && there?.length === 1 && wanted[0] === there[0]
    ? { spec: { cidrs: wanted } }
    : undefined;
}

function addsOf(...changes: readonly (object | undefined)[]): object | undefined {
  const all = changes.filter((change) => change !== undefined);
  return all.length === 0 ? undefined : Object.assign({}, ...all);
}

function missingSubjects(binding: Binding, existing: Binding): object | undefined {
  if (!isOurs(existing)) return undefined;
  const there = existing.subjects ?? [];
  const missing = (binding.subjects ?? []).filter((subject) => !there.some((one) => contains(one, subject)));
  return missing.length === 0 ? undefined : { subjects: [...there, ...missing] };
}

function bindsAnother(object: KubeObject, existing: KubeObject): boolean {
  if (!('roleRef' in object) || !isOurs(existing)) return false;
  return !contains((existing as Binding).roleRef, (object as Binding).roleRef);
}

/** Whether the administrator has left the object to the server. */
function isOurs(existing: KubeObject): boolean {
  return existing.metadata.annotations?.['rbac.authorization.kubernetes.io/autoupdate'] === 'true';
}

function differing(object: KubeObject, existing: KubeObject, fields: readonly string[]): object | undefined {
  const wants = new Map<string, unknown>(Object.entries(object));
  const has = new Map<string, unknown>(Object.entries(existing));
  const changed = fields.filter((field) => !contains(has.get(field), wants.get(field)));
  return changed.length === 0 ? undefined : Object.fromEntries(changed.map((field) => [field, wants.get(field)]));
}

/** Whether `has` says at least what `wants` says; lists have to be of equal length. */
function contains(has: unknown, wants: unknown): boolean {
  if (typeof wants !== 'object' || wants === null) return has === wants;
  if (typeof has !== 'object' || has === null) return false;
  if (Array.isArray(wants) && (!Array.isArray(has) || has.length !== wants.length)) return false;
  const fields = new Map<string, unknown>(Object.entries(has));
  return Object.entries(wants).every(([name, value]) => contains(fields.get(name), value));
}

/** The server itself vouches for the range that it was started with. */
async function markCidrReady({ update, clock }: BootstrapWorld): Promise<void> {
  const target = {
    resource: { group: 'networking.k8s.io', resource: 'servicecidrs' },
    namespace: '',
    name: 'kubernetes',
  };
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: '',
    message: 'Kubernetes default Service CIDR is ready',
    lastTransitionTime: formatTime(clock.now()),
  };
  await update(
    target,
    (draft) => {
      const conditions = (draft as { status?: { conditions?: readonly { type: string; status: string }[] } }).status
        ?.conditions;
      if (conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true) return;
      Object.assign(draft, { status: { conditions: [ready] } });
    },
    { subresource: 'status' },
  );
}
