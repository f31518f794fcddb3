import type {
  NetworkPolicy,
  NetworkPolicyEgressRule,
  NetworkPolicyIngressRule,
  NetworkPolicyPeer,
  NetworkPolicyPort,
} from '@binnacle/api/networking/v1';
import type { Allowance, Direction, PolicyRules, PortRange, Protocol } from '@binnacle/network';
import { protocolOf } from '../endpoints.ts';
import { EVERY_POD, selectAcross, selectInNamespace } from './selection.ts';
import type { Selection } from './selection.ts';

/** Where selected pods have a port of this name. */
export interface NamedPort {
  readonly id: string;
  readonly selection: Selection;
  readonly name: string;
  readonly protocol: Protocol;
}

/** A policy taken apart: whom it bears on, what it lets through, and what that is told by. */
export interface ReadPolicy {
  /** `namespace/name`. */
  readonly key: string;
  readonly targets: Selection;
  readonly rules: ReadonlyMap<Direction, PolicyRules>;
  /** The groups that the rules name, by id. */
  readonly peers: ReadonlyMap<string, Selection>;
  /** The destinations that the rules name, by id. */
  readonly ports: ReadonlyMap<string, NamedPort>;
}

const PORT_MAX = 65_535;

/** Reads a policy. Throws SelectorError for a selector that means nothing. */
export function readPolicy({ metadata, spec }: NetworkPolicy): ReadPolicy {
  const { namespace = '', name = '' } = metadata;
  const targets = selectInNamespace(namespace, spec.podSelector);
  const reading = new PolicyReading(namespace, targets);
  const { ingress = [], egress = [] } = spec;
  const types = spec.policyTypes ?? ['Ingress', ...(egress.length > 0 ? ['Egress'] : [])];
  const rules = new Map<Direction, PolicyRules>();
  if (types.includes('Ingress')) {
    const allowances = ingress.map((rule: NetworkPolicyIngressRule) => reading.allowance('ingress', rule.from, rule));
    rules.set('ingress', { direction: 'ingress', allowances });
  }
  if (types.includes('Egress')) {
    const allowances = egress.map((rule: NetworkPolicyEgressRule) => reading.allowance('egress', rule.to, rule));
    rules.set('egress', { direction: 'egress', allowances });
  }
  return { key: `${namespace}/${name}`, targets, rules, peers: reading.peers, ports: reading.ports };
}

/** Gathers what the rules of one policy name. */
class PolicyReading {
  readonly peers = new Map<string, Selection>();
  readonly ports = new Map<string, NamedPort>();
  readonly #namespace: string;
  readonly #targets: Selection;

  constructor(namespace: string, targets: Selection) {
    this.#namespace = namespace;
    this.#targets = targets;
  }

  allowance(
    direction: Direction,
    given: readonly NetworkPolicyPeer[] = [],
    { ports = [] }: { readonly ports?: readonly NetworkPolicyPort[] },
  ): Allowance {
    const selections = given.flatMap((peer) => this.#selectionOf(peer) ?? []);
    const blocks = given.flatMap(({ ipBlock }) =>
      ipBlock === undefined ? [] : [{ range: ipBlock.cidr, except: ipBlock.except ?? [] }],
    );
    for (const selection of selections) this.peers.set(selection.id, selection);
    // The name of a port is one of the pod that is asked: here those held back, there their peers.
    const asked = direction === 'ingress' ? [this.#targets] : given.length === 0 ? [EVERY_POD] : selections;
    return {
      ...(given.length === 0 ? {} : { peers: { groups: [...new Set(selections.map(({ id }) => id))], blocks } }),
      ...(ports.length === 0 ? {} : { ports: this.#portsOf(ports, asked) }),
    };
  }

  #selectionOf({ podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer): Selection | undefined {
    if (ipBlock !== undefined) return undefined;
    if (namespaceSelector !== undefined) return selectAcross(namespaceSelector, podSelector ?? {});
    return podSelector === undefined ? undefined : selectInNamespace(this.#namespace, podSelector);
  }

  #portsOf(given: readonly NetworkPolicyPort[], asked: readonly Selection[]): NonNullable<Allowance['ports']> {
    const ranges: PortRange[] = [];
    const destinations = new Set<string>();
    for (const { port, endPort, protocol: text } of given) {
      const protocol = protocolOf(text);
      if (protocol === undefined) continue;
      if (port === undefined) ranges.push({ protocol, from: 0, to: PORT_MAX });
      else if (typeof port === 'number') ranges.push({ protocol, from: port, to: endPort ?? port });
      else
        for (const selection of asked) {
          const id = `${port};${protocol};${selection.id}`;
          this.ports.set(id, { id, selection, name: port, protocol });
          destinations.add(id);
        }
    }
    return { ranges, destinations: [...destinations] };
  }
}
