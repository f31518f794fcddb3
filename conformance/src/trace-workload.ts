/** What people do to a cluster, by chance: workloads of many kinds come, grow, change and go. */
import {
  DAEMON_SETS,
  DEPLOYMENTS,
  JOBS,
  NAMESPACES,
  PODS,
  REPLICATION_CONTROLLERS,
  SERVICES,
  STATEFUL_SETS,
} from '@binnacle/api';
import type { ResourceRef } from '@binnacle/api';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import { status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import { waitFor } from '@binnacle/testkit';

const NAMESPACE = 'default';
const SETTLED_MS = 60_000;

/** How much is done, and by which dice. */
export interface WorkloadWish {
  readonly client: Client;
  readonly seed: number;
  readonly actions: number;
}

interface Hand {
  readonly client: Client;
  /** A number from 0 to one less than this. */
  readonly dice: (sides: number) => number;
  /** Names what is made by this action. */
  readonly name: string;
}

type Action = (hand: Hand) => Promise<unknown>;

interface Workload extends KubeObject {
  readonly spec: { readonly replicas?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly readyReplicas?: number;
  };
}

/** A resource as objects whose shape is the action's business. */
const plain = <T extends KubeObject>({ group, version, resource, kind, namespaced }: ResourceRef<T>) =>
  ({ group, version, resource, kind, namespaced }) as ResourceRef<Workload>;

const KINDS = {
  pods: plain(PODS),
  services: plain(SERVICES),
  controllers: plain(REPLICATION_CONTROLLERS),
  deployments: plain(DEPLOYMENTS),
  statefulSets: plain(STATEFUL_SETS),
  daemonSets: plain(DAEMON_SETS),
  jobs: plain(JOBS),
};
type Kind = (typeof KINDS)[keyof typeof KINDS];

const COUNTED: readonly Kind[] = [KINDS.controllers, KINDS.deployments, KINDS.statefulSets];

const podSpec = (image: number) => ({
  containers: [{ name: 'c', image: `example.org/web:${image}` }],
  terminationGracePeriodSeconds: 1,
});
const template = (name: string) => ({ metadata: { labels: { app: name } }, spec: podSpec(1) });

const make =
  (kind: Kind, specOf: (hand: Hand) => object): Action =>
  (hand) =>
    hand.client.resource(kind, NAMESPACE).create({ metadata: { name: hand.name }, spec: specOf(hand) });

async function anyOf({ client, dice }: Hand, kind: Kind): Promise<string | undefined> {
  const { items } = await client.resource(kind, NAMESPACE).list();
  return items[dice(Math.max(1, items.length))]?.metadata.name;
}

/** Does it to one of what is there. What a controller has taken away in between is gone all the same. */
const toAny =
  (kind: Kind, act: (name: string, hand: Hand) => Promise<unknown>): Action =>
  async (hand) => {
    const name = await anyOf(hand, kind);
    if (name === undefined) return;
    await act(name, hand).catch((error: unknown) => {
      if (!status.isNotFound(error)) throw error;
    });
  };

const patch = (kind: Kind, patchOf: (hand: Hand) => object): Action =>
  toAny(kind, (name, hand) => hand.client.resource(kind, NAMESPACE).patch(name, 'merge', patchOf(hand)));

const remove = (kind: Kind): Action =>
  toAny(kind, (name, { client, dice }) =>
    client.resource(kind, NAMESPACE).delete(name, { propagationPolicy: dice(2) === 0 ? 'Background' : 'Foreground' }),
  );

const byLabels = ({ name }: Hand) => ({ selector: { matchLabels: { app: name } }, template: template(name) });
const jobSpec = ({ name }: Hand) => ({
  template: { spec: { ...podSpec(1), restartPolicy: 'Never' } },
  suspend: name === '',
});
const rescaled = ({ dice }: Hand) => ({ spec: { replicas: dice(4) } });
const newImage = ({ dice }: Hand) => ({ spec: { template: { spec: podSpec(2 + dice(3)) } } });

async function comeAndGo({ client, name }: Hand): Promise<void> {
  await client.resource(NAMESPACES).create({ metadata: { name } } as never);
  const body = { metadata: { name }, data: { a: '1' } };
  await client.dynamic({ group: '', version: 'v1', resource: 'configmaps' }, name).create(body as never);
  await client.resource(NAMESPACES).delete(name);
}

const evict = toAny(KINDS.pods, (name, { client }) =>
  client.resource(KINDS.pods, NAMESPACE).subresource('create', name, 'eviction', {
    ...{ apiVersion: 'policy/v1', kind: 'Eviction' },
    metadata: { name, namespace: NAMESPACE },
  }),
);

const ACTIONS: readonly Action[] = [
  make(KINDS.pods, () => podSpec(1)),
  make(KINDS.services, ({ name }) => ({ selector: { app: name }, ports: [{ port: 80 }] })),
  make(KINDS.controllers, ({ name, dice }) => ({
    replicas: dice(4),
    selector: { app: name },
    template: template(name),
  })),
  make(KINDS.deployments, (hand) => ({ ...byLabels(hand), replicas: hand.dice(4) })),
  make(KINDS.statefulSets, (hand) => ({ ...byLabels(hand), replicas: hand.dice(3), serviceName: hand.name })),
  make(KINDS.daemonSets, byLabels),
  make(KINDS.jobs, jobSpec),
  ...COUNTED.map((kind) => patch(kind, rescaled)),
  patch(KINDS.deployments, newImage),
  patch(KINDS.daemonSets, newImage),
  ...[...COUNTED, KINDS.pods, KINDS.jobs].map(remove),
  evict,
  comeAndGo,
];

/** Does it all, now at once, now when what was done before has settled; answers when everything has. */
export async function runWorkload({ client, seed, actions }: WorkloadWish): Promise<void> {
  const random = createSeededRandom(seed);
  const dice = (sides: number): number => randomBelow(random, sides);
  for (let at = 0; at < actions; at++) {
    const act = ACTIONS[dice(ACTIONS.length)] ?? evict;
    await act({ client, dice, name: `w${at}` });
    if (dice(4) === 0) await settled(client);
  }
  await settled(client);
}

/** Every controller has what it wants, and nothing is on its way out. */
async function settled(client: Client): Promise<void> {
  for (const resource of COUNTED) {
    await waitFor({
      ...{ client, resource, namespace: NAMESPACE, what: `${resource.resource} at rest`, deadlineMs: SETTLED_MS },
      until: (all) => all.every(isAtRest),
    });
  }
  await waitFor({
    ...{ client, resource: KINDS.pods, namespace: NAMESPACE, what: 'no pod to go', deadlineMs: SETTLED_MS },
    until: (pods) => pods.every(({ metadata }) => metadata.deletionTimestamp === undefined),
  });
}

function isAtRest({ metadata, spec, status: now }: Workload): boolean {
  const wanted = spec.replicas ?? 1;
  const has = [now?.replicas ?? 0, now?.readyReplicas ?? 0];
  return now?.observedGeneration === metadata.generation && has.every((count) => count === wanted);
}
