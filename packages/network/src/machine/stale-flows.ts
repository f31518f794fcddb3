import type { ServiceRules } from '../rules.ts';

/**
 * Connections that the kernel remembers although rules have changed: UDP has no end, so a client that goes on sending
 * would go on to a backend that is gone, or past a Service that has backends by now. Answers the arguments of
 * `conntrack` that forget them.
 */
export function staleFlows(before: ServiceRules | undefined, after: ServiceRules | undefined): string[][] {
  const known = after ?? before;
  if (known?.protocol !== 'udp') return [];
  const had = places(before);
  const has = places(after);
  const gone = [...had].filter((place) => !has.has(place));
  const isNew = had.size === 0 && has.size > 0;
  const family = known.family === 'IPv4' ? 'ipv4' : 'ipv6';
  const targets = new Map([...targetsOf(before), ...targetsOf(after)].map((target) => [target.join(' '), target]));
  return [...targets.values()].flatMap((target) => {
    const base = ['-D', '-f', family, '-p', 'udp', ...target];
    const gonePlaces = gone.map((place) => place.split(' '));
    return isNew
      ? [base]
      : gonePlaces.map(([address = '', port = '']) => [...base, '--reply-src', address, '--reply-port-src', port]);
  });
}

/** The same of rules that were made anew, beside those before. */
export function staleFlowsOfAll(
  before: ReadonlyMap<string, ServiceRules>,
  after: ReadonlyMap<string, ServiceRules>,
): string[][] {
  // What was there before the first ones is not known.
  if (before.size === 0) return [];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((id) => staleFlows(before.get(id), after.get(id)));
}

function places(rules: ServiceRules | undefined): Set<string> {
  const { cluster = [], local = [], near = [] } = rules?.backends ?? {};
  return new Set([...cluster, ...local, ...near].map(({ address, port }) => `${address} ${port}`));
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
