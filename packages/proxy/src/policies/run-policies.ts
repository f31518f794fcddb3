import { NAMESPACES, NETWORK_POLICIES, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { NetworkPolicy } from '@binnacle/api/networking/v1';
import type { Scope } from '@binnacle/base';
import { createInformer } from '@binnacle/client';
import type { Client, ClientWorld, SharedInformer } from '@binnacle/client';
import type { PolicyNetwork } from '@binnacle/network';
import { PodGoneError } from '../errors.ts';
import { RuleKeeper } from '../rule-keeper.ts';
import type { RuleReport } from '../rule-keeper.ts';
import { PolicyTable } from './policy-table.ts';
import { SievedPolicies } from './sieved-policies.ts';

/** What is told of one policy that means nothing in many places. */
const FAULTS_TOLD_MAX = 5;

/** Policies for the pods of one node. */
export interface PolicyOptions {
  readonly client: Client;
  readonly world: ClientWorld;
  readonly scope: Scope;
  readonly network: PolicyNetwork;
  readonly nodeName: string;
  /** Changes are gathered this long, counted from the last time. */
  readonly minSyncMs: number;
}

/** Policies that are kept until the scope ends. What was made stays: pods are held back while nobody looks after it. */
export interface RunningPolicies {
  readonly report: RuleReport;
  /** The first rules are there. */
  whenSynced(): Promise<void>;
  /**
   * A pod of this node begins, with these addresses: resolves when it is held back as policies want it, which is at once
   * where nothing is to be done. Rejects when the signal says so, and with PodGoneError.
   */
  whenHeld(pod: Pod, addresses: readonly string[], signal: AbortSignal): Promise<void>;
  /** It has ended, whatever the API says of it. */
  released(pod: Pod): void;
  /** Somebody else had a hand in the rules: all are made again. */
  resync(): void;
}

/** Follows policies, and pods and namespaces once there is one, and keeps the node's rules as they say. */
export function runPolicies(options: PolicyOptions): RunningPolicies {
  const { world, scope, network, minSyncMs } = options;
  const table = new PolicyTable(options.nodeName);
  const known = followPeers(options, { table, wake: () => keeper.wake() });
  const sieved = new SievedPolicies({
    network,
    all: () => table.all(),
    refused: (part, id, error) =>
      world.log.error(error, 'the machine refuses a part of network policies, which lets nobody through', {
        part,
        id,
      }),
  });
  const keeper = new RuleKeeper({
    world,
    minSyncMs,
    replace: async () => {
      if (table.isNeeded) await known();
      await sieved.replace();
      if (sieved.isUnfinished) keeper.wake();
    },
    change: async () => {
      if (table.isNeeded) await known();
      if (!table.isDirty && !sieved.isUnfinished) return 'untouched';
      await sieved.change(table.changes());
      if (sieved.isUnfinished) keeper.wake();
      return undefined;
    },
    refused: () => sieved.refused,
    complaint: 'the rules of network policies were not taken',
  });
  const policies = followPolicies(options, { table, wake: () => keeper.wake() });
  policies.start(scope);
  scope.run('network policies', async (signal) => {
    await policies.whenSynced(signal);
    await keeper.run(signal);
  });
  return {
    get report() {
      return keeper.report;
    },
    whenSynced: () => keeper.whenSynced(),
    async whenHeld(pod, addresses, signal) {
      await policies.whenSynced(signal);
      if (!table.isNeeded || addresses.length === 0) return;
      await known();
      // Whoever waited may have given up, as for a pod that has ended: nobody would take back what held of it.
      signal.throwIfAborted();
      const isNews = !table.has(pod, addresses);
      if (!table.setEarly(pod, addresses)) throw new PodGoneError(pod.metadata.name ?? '');
      if (table.isDirty) keeper.wake();
      await keeper.settled(signal);
      if (isNews && table.isHeld(pod)) await network.begin(addresses);
    },
    released(pod) {
      table.releaseEarly(pod);
      if (table.isDirty) keeper.wake();
    },
    resync: () => keeper.resync(),
  };
}

/** Who is told of changes. */
interface Followers {
  readonly table: PolicyTable;
  readonly wake: () => void;
}

/** Policies as they come, once the informer is started. */
function followPolicies({ client, world }: PolicyOptions, { table, wake }: Followers): SharedInformer<NetworkPolicy> {
  const set = (policy: NetworkPolicy): void => {
    const faults = table.setPolicy(policy);
    if (faults.length > 0) {
      const { namespace, name } = policy.metadata;
      const reason = faults.slice(0, FAULTS_TOLD_MAX).join('; ');
      world.log.warn('what of a network policy means nothing lets nobody through', { namespace, name, reason });
    }
    wake();
  };
  const policies = createInformer(client, NETWORK_POLICIES, world);
  policies.subscribe({
    add: set,
    update: (before, after) => {
      if (before.metadata.generation !== after.metadata.generation || after.metadata.generation === undefined)
        set(after);
    },
    remove: (policy) => {
      table.removePolicy(policy);
      wake();
    },
  });
  return policies;
}

/** Pods and namespaces, from the first time that they are needed on; resolves when all that is there now is known. */
function followPeers({ client, world, scope }: PolicyOptions, { table, wake }: Followers): () => Promise<void> {
  const pods = createInformer(client, PODS, world);
  const namespaces = createInformer(client, NAMESPACES, world);
  const touch = (change: () => void): void => {
    change();
    if (table.isDirty) wake();
  };
  pods.subscribe({
    add: (pod) => touch(() => table.setPod(pod)),
    update: (_before, pod) => touch(() => table.setPod(pod)),
    remove: (pod) => touch(() => table.removePod(pod)),
  });
  namespaces.subscribe({
    add: (namespace) => touch(() => table.setNamespace(namespace)),
    update: (_before, namespace) => touch(() => table.setNamespace(namespace)),
    remove: (namespace) => touch(() => table.removeNamespace(namespace)),
  });
  let synced: Promise<unknown> | undefined;
  return async () => {
    if (synced === undefined) {
      for (const informer of [pods, namespaces]) informer.start(scope);
      synced = Promise.all([pods.whenSynced(scope.signal), namespaces.whenSynced(scope.signal)]);
    }
    await synced;
  };
}
