import { formatTime } from '@binnacle/base';
import { PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { WatchEvent } from '@binnacle/machinery';
import type { TestWorld } from './test-world.ts';

export interface FakeNode {
  /** Which pods become ready; all unless set. */
  accepts: (pod: Pod) => boolean;
  /** How a pod ends two seconds after it is ready; undefined: it runs on, as all do unless set. */
  ends: (pod: Pod) => 'Succeeded' | 'Failed' | undefined;
}

/** Plays scheduler and kubelet: pods run and are ready a second after they appear, and go a second after they should. */
export function startFakeNode(world: TestWorld): FakeNode {
  const node: FakeNode = { accepts: () => true, ends: () => undefined };
  const pods = world.client.resource(PODS, 'default');
  const take = (event: WatchEvent<Pod>): void => {
    const pod = event.object;
    const name = pod.metadata.name ?? '';
    if (event.type === 'DELETED' || event.type === 'BOOKMARK') return;
    if (pod.metadata.deletionTimestamp === undefined) world.clock.after(1000, () => startPod(world, node, name));
    else world.clock.after(1000, () => stopPod(world, pod));
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
  const pod = world.api.objects(PODS).find((one) => one.metadata.name === name);
  // What has ended stays ended.
  if (pod === undefined || pod.status?.phase !== 'Pending' || !node.accepts(pod)) return;
  const bound = world.api.seed(PODS, { ...pod, spec: { ...pod.spec, nodeName: targetOf(pod) ?? 'n1' } });
  const ready = { type: 'Ready', status: 'True' as const, lastTransitionTime: formatTime(world.clock.now()) };
  world.api.setStatus(PODS, bound, { phase: 'Running', conditions: [ready] });
  const end = node.ends(pod);
  if (end !== undefined) world.clock.after(2000, () => endPod(world, bound, end));
}

/** What is stopped has failed, unless it had ended before; then it goes, as far as finalizers let it. */
function stopPod(world: TestWorld, pod: Pod): void {
  const { uid, name = '', namespace } = pod.metadata;
  const now = world.api.objects(PODS).find((one) => one.metadata.uid === uid);
  if (now === undefined) return;
  if (now.status?.phase === 'Running') world.api.setStatus(PODS, now, { ...now.status, phase: 'Failed' });
  void world.client
    .resource(PODS, namespace)
    .delete(name, { gracePeriodSeconds: 0 })
    .catch(() => undefined);
}

function endPod(world: TestWorld, pod: Pod, phase: 'Succeeded' | 'Failed'): void {
  const now = world.api.objects(PODS).find((one) => one.metadata.uid === pod.metadata.uid);
  if (now?.status?.phase !== 'Running' || now.metadata.deletionTimestamp !== undefined) return;
  const finishedAt = formatTime(world.clock.now());
  const state = { terminated: { exitCode: phase === 'Failed' ? 1 : 0, finishedAt } };
  const containerStatuses = [{ name: 'c', state, ready: false, restartCount: 0, image: 'x', imageID: '' }];
  world.api.setStatus(PODS, now, { phase, containerStatuses, conditions: [{ type: 'Ready', status: 'False' }] });
}

/** The one node that the pod's affinity names, as a daemon's does. */
function targetOf({ spec }: Pod): string | undefined {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms?.[0]?.matchFields?.[0]?.values?.[0];
}
