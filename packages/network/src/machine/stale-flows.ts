import { inRanges } from '@binnacle/base';
import type { Backend, Family, NodeRules, ServiceRules } from '../rules.ts';

/** Of one change so many are told of, whatever changed: each door of a Service is paired with each place that is gone. */
export const FLOWS_MAX = 20_000;

/** The rules of one port of a Service before and after a change; undefined: it was not there, or is gone. */
export type RulesPair = readonly [before: ServiceRules | undefined, after: ServiceRules | undefined];

/**
 * Connections that the kernel remembers although rules have changed: UDP has no end, so a client that goes on sending
 * would go on to a backend that is gone, by a door that is gone, or past a Service that has backends or that door by now.
 * Answers the arguments of `conntrack` that forget them.
 */
export function staleFlows(pairs: Iterable<RulesPair>): string[][] {
  const flows: string[][] = [];
  for (const pair of pairs)
    for (const flow of staleFlowsOf(pair)) {
      if (flows.length >= FLOWS_MAX) return flows;
      flows.push(flow);
    }
  return flows;
}

/** One by one: all of them may be more than there is room for. */
function* staleFlowsOf([before, after]: RulesPair): Generator<string[]> {
  const known = after ?? before;
  if (known?.protocol !== 'udp') return;
  const base = ['-D', '-f', known.family === 'IPv4' ? 'ipv4' : 'ipv6', '-p', 'udp'];
  const [had, has] = [doorsTo(before), doorsTo(after)];
  const [were, are] = [places(before), places(after)];
  const gone = [...were].filter((place) => !are.has(place));
  for (const [text, { target }] of new Map([...had, ...has])) {
    const [was, is] = [had.get(text), has.get(text)];
    const way = [...base, ...target];
    for (const place of was === undefined ? [] : is === undefined ? were : gone) {
      const [address = '', port = ''] = place.split(' ');
      yield [...way, '--reply-src', address, '--reply-port-src', port];
    }
    // What went past it is answered from where it was sent to; others on this machine may send what they know there elsewhere.
    if (is?.leadsOn === true && was?.leadsOn !== true) yield [...way, ...pastOf(target)];
  }
}

/** Where flows of a Service begin, in `conntrack`'s words. */
interface Door {
  readonly target: readonly string[];
  /** Whether anybody new is sent anywhere. */
  readonly leadsOn: boolean;
}

function doorsTo(rules: ServiceRules | undefined): ReadonlyMap<string, Door> {
  const leadsOn = chosenPlaces(rules).length > 0;
  return new Map(targetsOf(rules).map((target) => [target.join(' '), { target, leadsOn }]));
}

/** `conntrack`'s words for flows towards this target that nobody sent elsewhere. */
function pastOf(target: readonly string[]): string[] {
  const [port = ''] = target.slice(-1);
  return target[0] === '--orig-dst' ? ['--reply-src', target[1] ?? ''] : ['--reply-port-src', port];
}

/** The same of rules that were made anew, beside those before. */
export function staleFlowsOfAll(
  before: ReadonlyMap<string, ServiceRules>,
  after: ReadonlyMap<string, ServiceRules>,
): string[][] {
  // What was there before the first ones is not known.
  if (before.size === 0) return [];
  const ids = new Set([...before.keys(), ...after.keys()]);
  return staleFlows([...ids].map((id) => [before.get(id), after.get(id)]));
}

/** A connection as the kernel remembers it: where it was sent, and who answers in place of that. */
interface Flow {
  readonly source: string;
  readonly destination: string;
  readonly port: string;
  readonly answers: string;
  readonly answersAt: string;
}

/** Arguments of `conntrack` that list what UDP was sent elsewhere than it asked for. */
export function redirectedFlows(family: Family): string[] {
  return ['-L', '-f', family === 'IPv4' ? 'ipv4' : 'ipv6', '-p', 'udp', '-g'];
}

/** Arguments of `conntrack` that list all of UDP. */
export function knownFlows(family: Family): string[] {
  return ['-L', '-f', family === 'IPv4' ? 'ipv4' : 'ipv6', '-p', 'udp'];
}

const MATCHED = ['--orig-dst', '--orig-port-dst', '--reply-src', '--reply-port-src'] as const;
/** Before what is told of a flow: `-D -f ipv4 -p udp`. */
const WORDS_BEFORE = 5;

/** Those arguments that find something in such a list of their family; whatever a list does not tell of is there. */
export function flowsThatAreThere(listing: string, flows: readonly (readonly string[])[]): (readonly string[])[] {
  const there = new Set<string>();
  for (const { destination, port, answers, answersAt } of readFlows(listing)) {
    const told = [destination, port, answers, answersAt];
    for (const shape of SHAPES) there.add(keyOf(told.map((one, at) => (shape.includes(at) ? one : undefined))));
  }
  return flows.filter((flow) => {
    const asked = new Map<string, string>();
    for (let at = WORDS_BEFORE; at < flow.length; at += 2) asked.set(flow[at] ?? '', flow[at + 1] ?? '');
    const told = MATCHED.map((name) => asked.get(name));
    const isTold = told.filter((one) => one !== undefined).length === asked.size;
    const shape = told.flatMap((one, at) => (one === undefined ? [] : [at]));
    return !isTold || !SHAPES.some((one) => one.join() === shape.join()) || there.has(keyOf(told));
  });
}

/** Which of `MATCHED` they have: a Service's address and a place, its node port and a place, what went past either. */
const SHAPES: readonly (readonly number[])[] = [
  [0, 1, 2, 3],
  [1, 2, 3],
  [0, 1, 2],
  [1, 3],
];

function keyOf(told: readonly (string | undefined)[]): string {
  return told.map((one) => one ?? '*').join(' ');
}

/** Arguments of `conntrack` that forget what was said to an address, by whatever door, and by it. */
export function flowsOf(address: string): string[][] {
  const base = ['-D', '-f', address.includes(':') ? 'ipv6' : 'ipv4', '-p', 'udp'];
  return [
    [...base, '--reply-src', address],
    [...base, '--orig-src', address],
  ];
}

/**
 * What such a list has of flows to places that are no Service's any more, as after a time without a proxy. Where another cluster
 * is on the machine, whose Services may have the same addresses, only what our own pods ask or answer.
 */
export function orphanedFlows(
  listing: string,
  of: { readonly family: Family; readonly node: NodeRules; readonly services: Iterable<ServiceRules> },
): string[][] {
  const { family, node, services } = of;
  const doors = doorsOf(services, family);
  const [isOfPods, isOfServices] = [inRanges(node.podRanges), inRanges(node.serviceRanges)];
  const orphans = new Map<string, string[]>();
  for (const { source, destination, port, answers, answersAt } of readFlows(listing)) {
    if (node.links !== undefined && !isOfPods(source) && !isOfPods(answers)) continue;
    const door = doors.get(`${destination} ${port}`) ?? doors.get(port);
    const isOurs = door !== undefined || isOfServices(destination);
    if (!isOurs || door?.has(`${answers} ${answersAt}`) === true) continue;
    const target = ['--orig-dst', destination, '--orig-port-dst', port];
    const place = ['--reply-src', answers, '--reply-port-src', answersAt];
    const way = ['-D', '-f', family === 'IPv4' ? 'ipv4' : 'ipv6', '-p', 'udp', ...target, ...place];
    orphans.set(way.join(' '), way);
  }
  return [...orphans.values()];
}

/** Who answers at each door of UDP: by `address port`, node ports by their number. */
function doorsOf(services: Iterable<ServiceRules>, family: Family): ReadonlyMap<string, ReadonlySet<string>> {
  const doors = new Map<string, ReadonlySet<string>>();
  for (const rules of services) {
    if (rules.protocol !== 'udp' || rules.family !== family) continue;
    const { clusterIP, port, external } = rules;
    const here = places(rules);
    for (const address of [clusterIP, ...(external?.addresses ?? [])]) doors.set(`${address} ${port}`, here);
    if (external !== undefined && external.nodePort !== 0) doors.set(`${external.nodePort}`, here);
  }
  return doors;
}

/** Each line tells first how a flow was sent, then how its answers come. */
function* readFlows(listing: string): Generator<Flow> {
  for (const line of listing.split('\n')) {
    const told: { readonly [field: string]: string[] } = { src: [], dst: [], sport: [], dport: [] };
    for (const [, field = '', value = ''] of line.matchAll(/ (src|dst|sport|dport)=(\S+)/g)) told[field]?.push(value);
    const [[source, answers], [destination], [, answersAt], [port]] = [
      told['src'],
      told['dst'],
      told['sport'],
      told['dport'],
    ].map((all) => all ?? []) as [string[], string[], string[], string[]];
    if (source === undefined || answers === undefined || destination === undefined) continue;
    if (port !== undefined && answersAt !== undefined) yield { source, destination, port, answers, answersAt };
  }
}

/** Whoever may answer flows of a Service: those that nobody new is sent to, too. */
function places(rules: ServiceRules | undefined): Set<string> {
  const all = [...chosenPlaces(rules), ...(rules?.lingering ?? [])];
  return new Set(all.map(({ address, port }) => `${address} ${port}`));
}

function chosenPlaces(rules: ServiceRules | undefined): readonly Backend[] {
  const { cluster = [], local = [], near = [] } = rules?.backends ?? {};
  return [...cluster, ...local, ...near];
}

function targetsOf(rules: ServiceRules | undefined): string[][] {
  if (rules === undefined) return [];
  const { clusterIP, port, external } = rules;
  const nodePort = external?.nodePort ?? 0;
  return [
    ...[clusterIP, ...(external?.addresses ?? [])].map((address) => [
      '--orig-dst',
      address,
      '--orig-port-dst',
      `${port}`,
    ]),
    ...(nodePort === 0 ? [] : [['--orig-port-dst', `${nodePort}`]]),
  ];
}
