import { NODES } from '@binnacle/api';
import type { Clock } from '@binnacle/base';
import { timedCause } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { status } from '@binnacle/machinery';
import { ClusterError } from '../errors.ts';

/** A range is given within a moment. */
const GIVEN_MS_MAX = 30_000;

/**
 * Makes a node known that is about to come, and waits until the cluster has given it ranges for its pods: CIDRs, one of each
 * family. One that is known keeps its own. Throws ClusterError where there is none for it: an Event of the node tells why.
 */
export async function askForPodRanges(
  client: Client,
  nodeName: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const nodes = client.resource(NODES);
  try {
    const context = { cause: timedCause('binnacle', `node ${nodeName}`) };
    await nodes.create({ metadata: { name: nodeName }, spec: {} }, undefined, context);
  } catch (error) {
    if (!status.isAlreadyExists(error)) throw error;
  }
  const given = Promise.withResolvers<readonly string[]>();
  const timer = clock.after(GIVEN_MS_MAX, () =>
    given.reject(new ClusterError('bad-range', `node ${nodeName} was given no range for its pods: see its events`)),
  );
  const watch = nodes.watch(
    { resourceVersion: '0', fieldSelector: `metadata.name=${nodeName}` },
    {
      events(batch) {
        const ranges = batch.at(-1)?.object.spec?.podCIDRs ?? [];
        if (ranges.length > 0) given.resolve(ranges);
      },
      end: (error) => {
        if (error !== undefined) given.reject(error);
      },
    },
    { signal },
  );
  const abandon = (): void => given.reject(signal.reason as Error);
  signal.addEventListener('abort', abandon, { once: true });
  try {
    return await given.promise;
  } finally {
    signal.removeEventListener('abort', abandon);
    timer.cancel();
    watch.stop();
  }
}
