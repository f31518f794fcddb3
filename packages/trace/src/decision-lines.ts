import type { HopDetail } from '@binnacle/base';
import { isRecord, recordsIn, textsIn } from './detail-members.ts';
import type { PodExplanation } from './explanation.ts';
import { preemptionLines } from './preemption-lines.ts';

/** Nodes and filters named in one line, and lines of scores: the rest is counted. */
const NAMED_MAX = 10;
const SCORES_MAX = 5;

/** What is said of nodes that nobody remembers, or that the viewer may not list. */
export const INCOMPLETE = 'what was said of each node is forgotten, or not for your eyes';

/** What is said of a decision of which too much was told to be kept. */
export const TOO_LARGE = 'what was said of each node is too much to be kept';

const LACKS = { tooLarge: TOO_LARGE, unknown: INCOMPLETE } as const;

/** What can be shown of a decision. */
export interface Decision extends Pick<PodExplanation, 'refused' | 'scored'> {
  /** Where the pod goes, else why nowhere; empty: nobody says. */
  readonly outcome: string;
  /** Why what was said of each node is not there: it is too much to be kept, or forgotten or not for the viewer. Absent: it is. */
  readonly lacks?: keyof typeof LACKS;
  /** What preemption looked at, in lines; none: it did not run. */
  readonly preemption: readonly string[];
}

/** A decision out of the detail of a hop. Takes details of any shape: of what is too large to be kept nothing is there, and other servers may answer with anything. */
export function decisionOf(detail: HopDetail): Decision {
  const { node, message } = detail;
  const lacks = lacksOf(detail);
  return {
    outcome: [node, message].find((one) => typeof one === 'string') ?? '',
    ...(lacks === undefined ? {} : { lacks }),
    refused: recordsIn(detail, 'refused').map(({ plugin, reasons, nodes, names }) => ({
      ...{ plugin: String(plugin), nodes: Number(nodes) },
      ...{ reasons: textsIn(reasons), names: textsIn(names) },
    })),
    scored: recordsIn(detail, 'scored').map(({ node: name, total, by }) => ({
      ...{ node: String(name), total: Number(total) },
      by: isRecord(by)
        ? Object.fromEntries(Object.entries(by).map(([plugin, points]) => [plugin, Number(points)]))
        : {},
    })),
    preemption: preemptionLines(detail),
  };
}

function lacksOf({ isComplete, tooLarge }: HopDetail): Decision['lacks'] {
  if (tooLarge === true) return 'tooLarge';
  return isComplete === false ? 'unknown' : undefined;
}

/**
 * A scheduler's decision in lines: where the pod waits for room, which filter refused how many nodes and why, what preemption looked
 * at, the points of the best nodes by plugin. Of what is no decision nothing: other servers may answer with anything.
 */
export function decisionLines(detail: HopDetail): string[] {
  const scored = recordsIn(detail, 'scored');
  const more = scored.length - SCORES_MAX;
  return [
    ...refusalLines(detail),
    ...scored.slice(0, SCORES_MAX).map(scoreLine),
    ...(more > 0 ? [`and ${more} more nodes with fewer points`] : []),
  ];
}

/** Of a decision, where the pod waits for room, which filter refused how many nodes, and what preemption looked at. */
export function refusalLines(detail: HopDetail): string[] {
  const { nominatedNode } = detail;
  const lacks = lacksOf(detail);
  return [
    ...(typeof nominatedNode === 'string' && nominatedNode !== '' ? [`waits for room on ${nominatedNode}`] : []),
    ...recordsIn(detail, 'refused').map(refusalLine),
    ...preemptionLines(detail),
    ...(lacks === undefined ? [] : [LACKS[lacks]]),
  ];
}

function refusalLine({ plugin, reasons, nodes, names }: HopDetail): string {
  const count = Number(nodes);
  const named = textsIn(names);
  const which = named.length === 0 ? '' : `: ${named.slice(0, NAMED_MAX).join(', ')}${count > NAMED_MAX ? ', …' : ''}`;
  return `${String(plugin)} refused ${count} node${count === 1 ? '' : 's'} (${textsIn(reasons).join(', ')})${which}`;
}

function scoreLine({ node, total, by }: HopDetail): string {
  const points = isRecord(by) ? Object.entries(by) : [];
  const parts = points.slice(0, NAMED_MAX).map(([plugin, score]) => `${plugin} ${rounded(score)}`);
  return `${String(node)} has ${rounded(total)} points${parts.length === 0 ? '' : ` = ${parts.join(' + ')}`}`;
}

function rounded(points: unknown): string {
  return String(Math.round(Number(points) * 100) / 100);
}
