import type { HopDetail } from '@binnacle/base';
import { isRecord, recordsIn, textsIn } from './detail-members.ts';

/** By what one of several candidates was chosen, in words. */
const CRITERIA: ReadonlyMap<unknown, string> = new Map([
  ['fewestBudgetViolations', 'the fewest violated budgets'],
  ['lowestHighestPriority', 'the least important of the most important victims'],
  ['lowestPrioritySum', 'the lowest sum of priorities'],
  ['fewestVictims', 'the fewest victims'],
  ['latestStart', 'the latest start of the most important victims'],
  ['first', 'the first of those alike'],
]);

/** What became of it, in words. */
const STEPS: ReadonlyMap<unknown, (step: HopDetail) => string> = new Map([
  ['asked', ({ pods }: HopDetail) => `${victims(pods)} asked to end`],
  ['ending', ({ pods }: HopDetail) => `${victims(pods)} ending already`],
  ['held', ({ pods }: HopDetail) => `${victims(pods)} kept from being bound`],
  ['gone', ({ pods }: HopDetail) => `${victims(pods)} gone already`],
  ['failed', ({ pod }: HopDetail) => `${podName(pod)} could not be ended: the nomination was taken back`],
  ['waits', () => 'tried again while a victim still ended'],
  ['withdrawn', ({ pod }: HopDetail) => `the room went to ${podName(pod)}, which is more important`],
  ['cleared', ({ node }: HopDetail) => `its status was told to wait for ${namedNode(node)}`],
  ['nowhere', () => 'a later try found no room to make: the nomination was taken back'],
  ['placed', ({ node }: HopDetail) => `placed on ${namedNode(node)}`],
]);

/** What preemption looked at, in lines. Of what is none nothing: other servers may answer with anything. */
export function preemptionLines({ preemption }: HopDetail): string[] {
  if (!isRecord(preemption)) return [];
  const { obstacle, tried, untried, candidates, chosen, victimsLeft } = preemption;
  if (typeof obstacle === 'string') return [`preemption: ${obstacle}`, ...stepLines(preemption)];
  const listed = recordsIn(preemption, 'listed');
  const more = Number(candidates) - listed.length;
  const rest = Number(untried) > 0 ? `, ${count(untried, 'more node')} left untried` : '';
  return [
    `preemption: ${count(candidates, 'candidate')} of ${count(tried, 'node')} tried${rest}`,
    ...recordsIn(preemption, 'unsuitable').map(unsuitableLine),
    ...listed.map(candidateLine),
    ...(more > 0 && listed.length > 0 ? [`and ${count(more, 'more candidate')}`] : []),
    ...recordsIn(preemption, 'extenders').map(extenderLine),
    ...(typeof chosen === 'string' ? [`chosen: ${chosen}${choiceText(recordsIn(preemption, 'choice'))}`] : []),
    ...stepLines(preemption),
    ...(Number(victimsLeft) > 0 ? [`${victims(victimsLeft)} there still`] : []),
  ];
}

function unsuitableLine({ reason, nodes, names }: HopDetail): string {
  const named = textsIn(names);
  const which = named.length === 0 ? '' : `: ${named.join(', ')}${Number(nodes) > named.length ? ', …' : ''}`;
  return `nothing to gain on ${count(nodes, 'node')} (${String(reason)})${which}`;
}

function candidateLine(candidate: HopDetail): string {
  const { node, victims: all, budgetViolations, highestPriority } = candidate;
  const named = recordsIn(candidate, 'named').map((victim) => `${podName(victim)} (${Number(victim['priority'])})`);
  const left = Number(all) - named.length;
  const who = [...named, ...(left > 0 ? [named.length === 0 ? count(left, 'pod') : `${left} more`] : [])];
  const top = typeof highestPriority === 'number' ? `, highest priority ${highestPriority}` : '';
  const violated = Number(budgetViolations) > 0 ? `, ${Number(budgetViolations)} against a budget` : '';
  return `candidate ${String(node)}: ${count(all, 'victim')}${top}${violated}${who.length === 0 ? '' : `: ${who.join(', ')}`}`;
}

function extenderLine({ name, left, failed }: HopDetail): string {
  const how = failed === true ? 'failed and is passed over:' : 'left';
  return `extender ${String(name)} ${how} ${count(left, 'candidate')}`;
}

/** By what it was chosen: only criteria that told candidates apart decided anything. */
function choiceText(choice: readonly HopDetail[]): string {
  if (choice.length === 0) return ', the only one left';
  return `, by ${choice.map(({ by, left }) => `${CRITERIA.get(by) ?? String(by)} (${Number(left)} left)`).join(', ')}`;
}

function stepLines(preemption: HopDetail): string[] {
  return recordsIn(preemption, 'steps').map((step) => {
    const { what, times } = step;
    const again = Number(times) > 1 ? ` (${Number(times)} times)` : '';
    return `${STEPS.get(what)?.(step) ?? String(what)}${again}`;
  });
}

function victims(number: unknown): string {
  return `${count(number, 'victim')} ${Number(number) === 1 ? 'was' : 'were'}`;
}

function count(number: unknown, what: string): string {
  return `${Number(number)} ${what}${Number(number) === 1 ? '' : 's'}`;
}

/** One that the viewer may not list has no name. */
function podName(pod: unknown): string {
  if (!isRecord(pod)) return 'a pod';
  return `${String(pod['namespace'])}/${String(pod['name'])}`;
}

function namedNode(node: unknown): string {
  return typeof node === 'string' && node !== '' ? node : 'no node';
}
