/** Whether a pod may be on this node by the node's labels and taints: who names a node itself asks no scheduler. */
import { messageOf } from '@binnacle/base';
import { findUntoleratedTaint, matchesNodeSelection } from '@binnacle/api';
import type { Node, Pod } from '@binnacle/api/core/v1';
import { isStatic } from '../container/static-pod.ts';
import type { PodWorld, Rejection } from './world.ts';

/** What only keeps new pods away is the scheduler's. */
const EVICTING: ReadonlySet<string> = new Set(['NoExecute']);

/** Why the node is none for the pod; undefined: it is. Pure. */
export function misplacement(pod: Pod, { metadata, spec }: Node): Rejection | undefined {
  const selectable = { name: metadata.name ?? '', labels: metadata.labels };
  if (!matchesNodeSelection(pod, selectable)) {
    return failed('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
  }
  if (isStatic(pod) || findUntoleratedTaint(spec?.taints, pod.spec.tolerations, EVICTING) === undefined)
    return undefined;
  return failed('TaintToleration', "node(s) had taints that the pod didn't tolerate");
}

function failed(reason: string, why: string): Rejection {
  return { reason, message: `Predicate ${reason} failed: ${why}` };
}

/**
 * Why the pod is none for this node, or its runtime none for the pod. At once where nothing is in the way. Never rejects.
 */
export function misplaced(
  of: Pick<PodWorld, 'apiNode' | 'log' | 'runtime'>,
  pod: Pod,
): Promise<Rejection | undefined> | undefined {
  const elsewhere = misplacedBySelection(of, pod);
  if (pod.spec.securityContext?.supplementalGroupsPolicy !== 'Strict') return elsewhere;
  return Promise.resolve(elsewhere).then((found) => found ?? groupsRefusal(of));
}

/** The node is asked for anew before anybody is sent away: what is known of it may be older than the pod. */
function misplacedBySelection(
  { apiNode, log }: Pick<PodWorld, 'apiNode' | 'log'>,
  pod: Pod,
): Promise<Rejection | undefined> | undefined {
  const node = apiNode();
  const first = node?.lastRead === undefined ? undefined : misplacement(pod, node.lastRead);
  if (node === undefined || first === undefined) return undefined;
  return node.read().then(
    (now) => misplacement(pod, now),
    (error: unknown) => {
      log.warn('The node could not be read again, a pod is judged by what was known', { reason: messageOf(error) });
      return first;
    },
  );
}

/** The runtime would give the pod's processes groups of the image, which they are not to have. In upstream's words. */
async function groupsRefusal({
  apiNode,
  log,
  runtime,
}: Parameters<typeof misplaced>[0]): Promise<Rejection | undefined> {
  if (await supportsGroupsPolicy()) return undefined;
  const reason = 'SupplementalGroupsPolicyNotSupported';
  return { reason, message: 'SupplementalGroupsPolicy=Strict is not supported in this node' };

  async function supportsGroupsPolicy(): Promise<boolean> {
    try {
      return (await runtime.status()).supportsGroupsPolicy === true;
    } catch (error) {
      log.warn('The runtime does not say what it can, a pod is judged by what was known', { reason: messageOf(error) });
      return apiNode()?.lastRead?.status?.features?.supplementalGroupsPolicy === true;
    }
  }
}
