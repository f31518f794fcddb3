import { ipFamily } from '@binnacle/base';
import { ENDPOINT_SLICES, ROLE_BINDINGS, ROLES, SERVICES, wellknown } from '@binnacle/api';
import type { PolicyRule } from '@binnacle/api/rbac/v1';
import type { Client } from '@binnacle/client';
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
  const get = ['get', 'list', 'watch'];
  const tell = ['create', 'patch', 'update'];
  await ensureRole(admin, ROLE, [{ apiGroups: [''], resources: ['configmaps'], resourceNames: [NAME], verbs: get }]);
  // Of its own: older clusters have the first one already, which is left as it is.
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

/** Where a node's name server listens, as its EndpointSlice; it goes with the node. */
export async function publishDnsEndpoint(
  admin: Client,
  at: { readonly nodeName: string; readonly nodeUid: string; readonly address: string },
): Promise<void> {
  const { nodeName, nodeUid, address } = at;
  const slices = admin.resource(ENDPOINT_SLICES, NAMESPACE);
  const slice = {
    metadata: {
      name: `${NAME}-${nodeName}`,
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
