import { formatTime } from '@binnacle/base';
import { PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { WatchEvent } from '@binnacle/machinery';
import type { TestWorld } from './test-world.ts';

export interface FakeNode {
  /** Which pods become ready; all unless set. */
  accepts: (pod: Pod) => boolean;
}

/** Plays scheduler and kubelet: pods run and are ready a second after they appear, and go a second after they should. */
export function startFakeNode(world: TestWorld): FakeNode {
  const node: FakeNode = { accepts: () => true };
  const pods = world.client.resource(PODS, 'default');
  const take = (event: WatchEvent<Pod>): void => {
    const pod = event.object;
    const name = pod.metadata.name ?? '';
    if (event.type === 'DELETED' || event.type === 'BOOKMARK') return;
    if (pod.metadata.deletionTimestamp === undefined) world.clock.after(1000, () => startPod(world, node, name));
    else world.clock.after(1000, () => void pods.delete(name, { gracePeriodSeconds: 0 }).catch(() => undefined));
  };
  const follow = (): void => {
    pods.watch(
      { sendInitialEvents: true },
      { events: (batch) => batch.forEach(take), end: () => world.clock.after(100, follow) },
    );
  };
  follow();
  return node;
}

function startPod(world: TestWorld, node: FakeNode, name: string): void {
  const pod = world.wire.objects(PODS).find((one) => one.metadata.name === name);
  // What has ended stays ended.
  if (pod === undefined || pod.status?.phase !== 'Pending' || !node.accepts(pod)) return;
  const bound = world.wire.seed(PODS, { ...pod, spec: { ...pod.spec, nodeName: targetOf(pod) ?? 'n1' } });
  const ready = { type: 'Ready', status: 'True' as const, lastTransitionTime: formatTime(world.clock.now()) };
  world.wire.setStatus(PODS, bound, { phase: 'Running', conditions: [ready] });
}

/** The one node that the pod's affinity names, as a daemon's does. */
function targetOf({ spec }: Pod): string | undefined {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms?.[0]?.matchFields?.[0]?.values?.[0];
}
