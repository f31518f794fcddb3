import type { HopKind } from '@binnacle/base';

/** Who acts, as a picture puts them side by side. */
export type Lane = 'client' | 'apiserver' | 'store' | 'controllers' | 'scheduler' | 'kubelet' | 'proxy' | 'runtime';

/** From left to right. */
export const LANES: readonly Lane[] = [
  'client',
  'apiserver',
  'store',
  'controllers',
  'scheduler',
  'kubelet',
  'runtime',
  'proxy',
];

const USERS: readonly (readonly [prefix: string, lane: Lane])[] = [
  ['system:apiserver', 'apiserver'],
  ['system:kube-scheduler', 'scheduler'],
  ['system:kube-controller-manager', 'controllers'],
  ['system:serviceaccount:kube-system:', 'controllers'],
  ['system:node:', 'kubelet'],
  ['system:simulated-nodes', 'kubelet'],
  ['system:kube-proxy', 'proxy'],
];

/** The lane of an identity, by upstream's names; who is none of them is a client. */
export function laneOfUser(user: string): Lane {
  return USERS.find(([prefix]) => user.startsWith(prefix))?.[1] ?? 'client';
}

const KINDS: { readonly [kind in HopKind]?: Lane } = {
  decision: 'scheduler',
  kubelet: 'kubelet',
  probe: 'kubelet',
  runtime: 'runtime',
  reconcile: 'controllers',
  authorization: 'apiserver',
  admission: 'apiserver',
  commit: 'store',
};

/** The lane of who did a hop, by its kind where that says it, else by the name of the component. */
export function laneOfComponent(component: string, kind?: HopKind): Lane {
  const known = kind === undefined ? undefined : KINDS[kind];
  if (known !== undefined) return known;
  if (component.startsWith('kubelet')) return 'kubelet';
  if (component.includes('scheduler')) return 'scheduler';
  if (component.startsWith('kube-proxy')) return 'proxy';
  if (component.startsWith('system:')) return laneOfUser(component);
  return component.includes('controller') ? 'controllers' : 'client';
}
