import { nodeAddress } from '@binnacle/api';
import type { Node } from '@binnacle/api/core/v1';
import { AGE, NAME, createdAgo, listed, nameOf, orNone, printer, text, wide } from '../../../render/columns.ts';

const ROLE_PREFIX = 'node-role.kubernetes.io/';

export const nodePrinter = printer<Node>(
  [
    NAME,
    text('Status', 'Whether the node takes part.'),
    text('Roles', 'Roles by which administrators know the node.'),
    AGE,
    text('Version', 'Version of its kubelet.'),
    wide(text('Internal-IP', 'Address inside the cluster.')),
    wide(text('External-IP', 'Address for the world outside.')),
    wide(text('OS-Image', 'Operating system.')),
    wide(text('Kernel-Version', 'Kernel.')),
    wide(text('Container-Runtime', 'What runs its containers.')),
  ],
  (node, now) => {
    const info = node.status?.nodeInfo;
    return [
      nameOf(node),
      statusText(node),
      listed(rolesOf(node)),
      createdAgo(node, now),
      info?.kubeletVersion ?? '',
      orNone(nodeAddress(node, 'InternalIP')),
      orNone(nodeAddress(node, 'ExternalIP')),
      info?.osImage || '<unknown>',
      info?.kernelVersion || '<unknown>',
      info?.containerRuntimeVersion || '<unknown>',
    ];
  },
);

function statusText(node: Node): string {
  const ready = node.status?.conditions?.find((one) => one.type === 'Ready');
  const parts = [ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'];
  if (node.spec.unschedulable === true) parts.push('SchedulingDisabled');
  return parts.join(',');
}

function rolesOf(node: Node): string[] {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(node.metadata.labels ?? {})) {
    if (key.startsWith(ROLE_PREFIX) && key.length > ROLE_PREFIX.length) roles.add(key.slice(ROLE_PREFIX.length));
    else if (key === 'kubernetes.io/role' && value !== '') roles.add(value);
  }
  return [...roles].toSorted();
}
