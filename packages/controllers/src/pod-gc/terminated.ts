import { isPodTerminal, isPodTerminating, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { actOnEach, cacheKey } from '@binnacle/client';
import type { Informer } from '@binnacle/client';
import { deleteIfThere, runController, triggerOf } from '@binnacle/reconcile';
import type { Controller } from '@binnacle/reconcile';
import type { ControllerKit } from '../controller-kit.ts';
import { collectionFigures } from './figures.ts';

/** Upstream's `--terminated-pod-gc-threshold`. */
const DEFAULT_THRESHOLD = 12_500;
/** Pods that end together go together. */
const GATHER_MS = 20_000;

/** Keeps no more than so many pods that have ended; 0: all of them. */
export function runTerminatedPodCollector(
  kit: ControllerKit,
  pods: Informer<Pod>,
  threshold = DEFAULT_THRESHOLD,
): readonly Controller[] {
  if (threshold <= 0) return [];
  const ended = new Set<string>();
  const counted = collectionFigures(kit.figures);
  const controller = runController({
    name: 'pod-garbage-collector-terminated',
    world: kit.world,
    scope: kit.scope,
    caches: [pods],
    sync: async (_key, context) => {
      // Who goes already, and is held by somebody's finalizer, is not asked again, and counts against no other.
      const all = [...ended].flatMap((key) => pods.get(key) ?? []).filter((pod) => !isPodTerminating(pod));
      await actOnEach(pickTerminated(all, all.length - threshold), (pod) => {
        const { namespace, name = '', uid } = pod.metadata;
        const options = { gracePeriodSeconds: 0, ...(uid === undefined ? {} : { preconditions: { uid } }) };
        return counted(pod, 'terminated', async () => {
          await deleteIfThere({ client: kit.client.resource(PODS, namespace), context }, name, options);
        });
      });
    },
  });
  const note = (event: string, pod: Pod): void => {
    if (!isPodTerminal(pod)) return;
    ended.add(cacheKey(pod));
    if (ended.size > threshold) controller.enqueueAfter('terminated', GATHER_MS, triggerOf(event, pod));
  };
  kit.scope.defer(
    pods.subscribe({
      add: (pod) => note('ADDED', pod),
      update: (_before, pod) => note('MODIFIED', pod),
      remove: (pod) => ended.delete(cacheKey(pod)),
    }),
  );
  return [controller];
}

/** Which of the ended pods go: evicted ones first, then the oldest. */
export function pickTerminated(pods: readonly Pod[], count: number): readonly Pod[] {
  if (count <= 0) return [];
  const order = (pod: Pod): string => {
    const { creationTimestamp = '', name = '' } = pod.metadata;
    const evicted = pod.status?.phase === 'Failed' && pod.status.reason === 'Evicted';
    return `${evicted ? 0 : 1} ${creationTimestamp} ${name}`;
  };
  return pods
    .map((pod) => ({ pod, at: order(pod) }))
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
    .slice(0, count)
    .map(({ pod }) => pod);
}
