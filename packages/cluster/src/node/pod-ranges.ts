import { NODES } from '@binnacle/api';
import type { Node } from '@binnacle/api/core/v1';
import type { Clock } from '@binnacle/base';
import { timedCause } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { status } from '@binnacle/machinery';
import { ClusterError } from '../errors.ts';
import { firstSeen } from '../first-seen.ts';

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
  const late = new AbortController();
  const timer = clock.after(GIVEN_MS_MAX, () =>
    late.abort(new ClusterError('bad-range', `node ${nodeName} was given no range for its pods: see its events`)),
  );
  const find = ({ spec }: Node): readonly string[] | undefined => {
    const ranges = spec?.podCIDRs ?? [];
    return ranges.length > 0 ? ranges : undefined;
  };
  try {
    const until = AbortSignal.any([signal, late.signal]);
    return await firstSeen(nodes, { fieldSelector: `metadata.name=${nodeName}`, find }, { clock, signal: until });
  } finally {
    timer.cancel();
  }
}
