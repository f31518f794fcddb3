/** Which pods end so that one gets in that the node cannot do without: as upstream's kubelet chooses. Pure. */
import type { Pod } from '@binnacle/api/core/v1';
import { qosClass } from '../container/resources.ts';
import { requestOf } from './admission.ts';
import { isCritical } from '../container/critical.ts';
import type { Shortage } from './world.ts';

/** How much of a resource has to become free. */
interface Need {
  readonly resource: string;
  readonly amount: number;
}

/**
 * The fewest of the least: of those that asked for nothing as many as possible, of those that are guaranteed what they ask for
 * as few. Undefined: all of them together would not be enough.
 */
export function podsToPreempt(
  pod: Pod,
  others: readonly Pod[],
  short: readonly Shortage[],
): readonly Pod[] | undefined {
  const needs = short.map(({ resource, requested, used, capacity }) => ({
    resource,
    amount: requested - (capacity - used),
  }));
  const weaker = others.filter((other) => isWeaker(other, pod));
  if (left(needs, weaker).length > 0) return undefined;
  const [bestEffort, burstable, guaranteed] = (['BestEffort', 'Burstable', 'Guaranteed'] as const).map((wanted) =>
    weaker.filter((other) => qosClass(other) === wanted),
  ) as [Pod[], Pod[], Pod[]];
  const last = nearest(guaranteed, left(needs, [...bestEffort, ...burstable]));
  const middle = nearest(burstable, left(needs, [...bestEffort, ...last]));
  const first = nearest(bestEffort, left(needs, [...middle, ...last]));
  return [...first, ...middle, ...last];
}

/** What is needed, as it is told where nobody has it. */
export function needText(short: readonly Shortage[]): string {
  const parts = short.map((one) => `(res: ${one.resource}, q: ${one.requested - (one.capacity - one.used)}), `);
  return `[${parts.join('')}]`;
}

function isWeaker(other: Pod, pod: Pod): boolean {
  if (isCritical(pod) && !isCritical(other)) return true;
  const { priority: own } = pod.spec;
  const { priority: its } = other.spec;
  return own !== undefined && its !== undefined && own > its;
}

/** What is needed still when these have gone. */
function left(needs: readonly Need[], gone: readonly Pod[]): Need[] {
  return needs.flatMap(({ resource, amount }) => {
    const more = amount - gone.reduce((sum, pod) => sum + requestOf(pod, resource), 0);
    return more > 0 ? [{ resource, amount: more }] : [];
  });
}

/** One after the other the one that leaves the least to be needed, the smaller one of two. */
function nearest(pods: readonly Pod[], needs: readonly Need[]): Pod[] {
  const chosen: Pod[] = [];
  const rest = [...pods];
  let open = [...needs];
  while (open.length > 0) {
    const ranked = rest.map((pod) => ({ pod, far: distance(pod, open) }));
    const best = ranked.reduce<(typeof ranked)[number] | undefined>(
      (found, one) =>
        found === undefined || one.far < found.far || (one.far === found.far && isSmaller(one.pod, found.pod))
          ? one
          : found,
      undefined,
    );
    if (best === undefined) break;
    chosen.push(best.pod);
    rest.splice(rest.indexOf(best.pod), 1);
    open = left(open, [best.pod]);
  }
  return chosen;
}

/** The parts of what is needed that would be needed still, squared and added. */
function distance(pod: Pod, needs: readonly Need[]): number {
  return needs.reduce((sum, { resource, amount }) => {
    const part = Math.max(0, amount - requestOf(pod, resource)) / amount;
    return sum + part * part;
  }, 0);
}

function isSmaller(a: Pod, b: Pod): boolean {
  for (const resource of ['memory', 'cpu']) {
    const more = requestOf(a, resource) - requestOf(b, resource);
    if (more !== 0) return more < 0;
  }
  return true;
}
