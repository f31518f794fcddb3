import { ipFamily, messageOf, orAborted } from '@binnacle/base';
import type { Scope } from '@binnacle/base';
import { ENDPOINT_SLICES, NODES, ROLE_BINDINGS, ROLES, SERVICES, wellknown } from '@binnacle/api';
import type { PolicyRule } from '@binnacle/api/rbac/v1';
import { createInformer } from '@binnacle/client';
import type { Client, ClientWorld } from '@binnacle/client';
import { status } from '@binnacle/machinery';
import type { UserInfo } from '@binnacle/machinery';
import { AT_START, ensureObject, ensureReader } from './reader-roles.ts';

const PORT = 53;
const NAME = 'kube-dns';
const NAMESPACE = 'kube-system';
const ROLE = 'system:binnacle-dns';

/** The name server of a node, to the API server. */
export const DNS: UserInfo = { name: ROLE, groups: ['system:authenticated'] };

const PORTS = [
  { name: 'dns', port: PORT, protocol: 'UDP' },
  { name: 'dns-tcp', port: PORT, protocol: 'TCP' },
] as const;

/** The Service at this address, and what the name servers may read; what is there is left as it is. */
export async function ensureDnsObjects(admin: Client, address: string): Promise<void> {
  const labels = { 'k8s-app': NAME, 'kubernetes.io/cluster-service': 'true', 'kubernetes.io/name': 'CoreDNS' };
  await ensureReader(admin, ROLE, [
    ['', 'services'],
    ['discovery.k8s.io', 'endpointslices'],
  ]);
  // Of its own, as that of events: older clusters have the first one already, which is left as it is.
  await ensureReader(admin, { role: `${ROLE}-namespaces`, user: ROLE }, [['', 'namespaces']]);
  const get = ['get', 'list', 'watch'];
  const tell = ['create', 'patch', 'update'];
  await ensureRole(admin, ROLE, [{ apiGroups: [''], resources: ['configmaps'], resourceNames: [NAME], verbs: get }]);
  await ensureRole(admin, `${ROLE}-events`, [{ apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: tell }]);
  await ensureObject(admin, SERVICES, {
    metadata: { name: NAME, namespace: NAMESPACE, labels },
    // A node asks its own name server; one that has none, another machine's.
    spec: {
      clusterIP: address,
      clusterIPs: [address],
      trafficDistribution: 'PreferSameNode',
      ports: PORTS.map((port) => ({ ...port, targetPort: PORT })),
    },
  });
}

/** What the name servers may do in the system's namespace. */
async function ensureRole(admin: Client, name: string, rules: readonly PolicyRule[]): Promise<void> {
  const metadata = { name, namespace: NAMESPACE };
  await ensureObject(admin, ROLES, { metadata, rules });
  await ensureObject(admin, ROLE_BINDINGS, {
    metadata,
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: ROLE }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
  });
}

/** Where a node's name server listens. */
export interface NameServerPlace {
  readonly nodeName: string;
  readonly address: string;
}

/** A refusal is not for good. */
const RETRY_MS = 5_000;

/**
 * Tells where a node's name server listens, in its EndpointSlice. No controller makes that: it is made again where somebody takes it
 * away, and for a node that comes back as another one, with which the slice of the one before goes. Resolves when it is there.
 */
export async function keepDnsEndpoint(
  of: { readonly admin: Client; readonly world: ClientWorld; readonly scope: Scope },
  place: NameServerPlace,
): Promise<void> {
  const { admin, world, scope } = of;
  const named = (name: string): { readonly fieldSelector: string } => ({ fieldSelector: `metadata.name=${name}` });
  const nodes = createInformer(admin, NODES, world, named(place.nodeName));
  const slices = createInformer(admin, ENDPOINT_SLICES, world, { namespace: NAMESPACE, ...named(sliceName(place)) });
  let work = Promise.withResolvers<void>();
  const wake = (): void => work.resolve();
  const nodeUid = (): string | undefined => nodes.list()[0]?.metadata.uid;
  const first = Promise.withResolvers<void>();
  /** Whether it stands as it should; false: it is to be tried again. */
  const settle = async (isFirst: boolean): Promise<boolean> => {
    const uid = nodeUid();
    if (uid === undefined) return true;
    const isThere = slices.list().some(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
    if (isThere && !isFirst) return true;
    try {
      await publishDnsEndpoint(admin, { ...place, nodeUid: uid });
      first.resolve();
      return true;
    } catch (error) {
      world.log.warn('the name server of a node is not told of', { node: place.nodeName, reason: messageOf(error) });
      return false;
    }
  };
  for (const informer of [nodes, slices]) informer.subscribe({ add: wake, update: wake, remove: wake });
  for (const informer of [nodes, slices]) informer.start(scope);
  scope.run('the name server among endpoints', async (signal) => {
    signal.addEventListener('abort', wake, { once: true });
    await Promise.all([nodes.whenSynced(signal), slices.whenSynced(signal)]);
    for (let isFirst = true; !signal.aborted;) {
      work = Promise.withResolvers();
      const isSettled = await settle(isFirst);
      if (isSettled && nodeUid() !== undefined) isFirst = false;
      const again = isSettled ? undefined : world.clock.after(RETRY_MS, wake, { background: true });
      await work.promise;
      again?.cancel();
    }
  });
  await orAborted(first.promise, scope.signal);
}

function sliceName({ nodeName }: NameServerPlace): string {
  return `${NAME}-${nodeName}`;
}

async function publishDnsEndpoint(admin: Client, at: NameServerPlace & { readonly nodeUid: string }): Promise<void> {
  const { nodeName, nodeUid, address } = at;
  const slices = admin.resource(ENDPOINT_SLICES, NAMESPACE);
  const slice = {
    metadata: {
      name: sliceName(at),
      namespace: NAMESPACE,
      labels: { [wellknown.LABEL_SERVICE_NAME]: NAME, [wellknown.LABEL_MANAGED_BY]: 'dns.binnacle.dev' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid: nodeUid }],
    },
    addressType: ipFamily(address),
    endpoints: [
      { addresses: [address], conditions: { ready: true }, nodeName, hints: { forNodes: [{ name: nodeName }] } },
    ],
    ports: PORTS,
  } as const;
  try {
    await slices.create(slice, undefined, AT_START);
  } catch (error) {
    if (!status.isAlreadyExists(error)) throw error;
    const there = await slices.get(slice.metadata.name);
    const next = { ...there, ...slice, metadata: { ...there.metadata, ...slice.metadata } };
    await slices.update(next, undefined, AT_START);
  }
}
