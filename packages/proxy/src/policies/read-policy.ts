import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyEgressRule,
  NetworkPolicyIngressRule,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  PolicyType,
} from '@binnacle/api/networking/v1';
import { ipRange, isMappedIpv4 } from '@binnacle/base';
import { SelectorError } from '@binnacle/machinery';
import type { LabelSelector } from '@binnacle/machinery';
import type { AddressBlock, Allowance, Direction, PolicyRules, PortRange, Protocol } from '@binnacle/network';
import { protocolOf } from '../endpoints.ts';
import { isPlain } from './selection-index.ts';
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
  /** What of it means nothing. */
  readonly faults: readonly string[];
}

const PORT_MAX = 65_535;
/** Names of ports, each looked for among each of so many peers together; beyond, among all pods: whose they are the peers say. */
const LOOKUPS_MAX = 256;
/** Names of ports of one policy: whenever a pod changes, each of them is looked for. */
const NAMES_MAX = 1000;
/** Peers of one policy that are selected by more than one value of one label: whenever a pod changes, each may be looked at. */
const PEERS_MAX = 1000;

/** Reads a policy. What of it means nothing lets nobody through, and is among its faults. */
export function readPolicy({ metadata, spec }: NetworkPolicy): ReadPolicy {
  const { namespace = '', name = '' } = metadata;
  const reading = new PolicyReading(namespace, spec.podSelector);
  const { ingress = [], egress = [] } = spec;
  const types = reading.typesOf(spec.policyTypes ?? ['Ingress', ...(egress.length > 0 ? ['Egress' as const] : [])]);
  const rules = new Map<Direction, PolicyRules>();
  if (types.includes('Ingress')) {
    const allowances = ingress.map((rule: NetworkPolicyIngressRule) => reading.allowance('ingress', rule.from, rule));
    rules.set('ingress', { direction: 'ingress', allowances: reading.isMeant ? allowances : [] });
  }
  if (types.includes('Egress')) {
    const allowances = egress.map((rule: NetworkPolicyEgressRule) => reading.allowance('egress', rule.to, rule));
    rules.set('egress', { direction: 'egress', allowances: reading.isMeant ? allowances : [] });
  }
  const { targets, peers, ports, faults } = reading;
  return { key: `${namespace}/${name}`, targets, rules, peers, ports, faults };
}

/** Gathers what the rules of one policy name. */
class PolicyReading {
  readonly targets: Selection;
  readonly peers = new Map<string, Selection>();
  readonly ports = new Map<string, NamedPort>();
  readonly faults: string[] = [];
  /** It is known whom the policy bears on. Otherwise it bears on all of its namespace, so that nobody is let in whom it holds back. */
  readonly isMeant: boolean;
  readonly #namespace: string;
  #widePeers = 0;

  constructor(namespace: string, pods: LabelSelector) {
    this.#namespace = namespace;
    const targets = this.#selection(() => selectInNamespace(namespace, pods));
    this.isMeant = targets !== undefined;
    this.targets = targets ?? selectInNamespace(namespace, {});
  }

  /** Both directions, where one is named that is none. */
  typesOf(given: readonly PolicyType[]): readonly PolicyType[] {
    const odd = given.find((type) => type !== 'Ingress' && type !== 'Egress');
    if (odd === undefined) return given;
    this.faults.push(`policy type ${JSON.stringify(odd)}`);
    return ['Ingress', 'Egress'];
  }

  allowance(
    direction: Direction,
    given: readonly NetworkPolicyPeer[] = [],
    { ports = [] }: { readonly ports?: readonly NetworkPolicyPort[] },
  ): Allowance {
    const selections = given.flatMap((peer) => this.#peerOf(peer) ?? []);
    const blocks = given.flatMap(({ ipBlock }) => (ipBlock === undefined ? [] : (this.#blockOf(ipBlock) ?? [])));
    // The name of a port is one of the pod that is asked: here those held back, there their peers.
    const asked = direction === 'ingress' ? [this.targets] : given.length === 0 ? [EVERY_POD] : selections;
    return {
      ...(given.length === 0 ? {} : { peers: { groups: [...new Set(selections.map(({ id }) => id))], blocks } }),
      ...(ports.length === 0 ? {} : { ports: this.#portsOf(ports, asked) }),
    };
  }

  #peerOf(peer: NetworkPolicyPeer): Selection | undefined {
    const selection = this.#selectionOf(peer);
    if (selection === undefined || this.peers.has(selection.id)) return selection;
    if (!isPlain(selection) && ++this.#widePeers > PEERS_MAX) {
      this.faults.push(`peer ${JSON.stringify(peer)}: more than ${PEERS_MAX} that are not of one label each`);
      return undefined;
    }
    this.peers.set(selection.id, selection);
    return selection;
  }

  #selectionOf({ podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer): Selection | undefined {
    if (ipBlock !== undefined) return undefined;
    if (namespaceSelector !== undefined)
      return this.#selection(() => selectAcross(namespaceSelector, podSelector ?? {}));
    return podSelector && this.#selection(() => selectInNamespace(this.#namespace, podSelector));
  }

  #selection(read: () => Selection): Selection | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      this.faults.push(error.message);
      return undefined;
    }
  }

  /** One whose exceptions are not all known would let those through that are to be held back. */
  #blockOf({ cidr, except = [] }: IPBlock): AddressBlock | undefined {
    const families = [cidr, ...except].map((text) => {
      const family = familyOfRange(text);
      if (family === undefined) this.faults.push(`range ${JSON.stringify(text)}`);
      return family;
    });
    const isOne = families.every((family) => family !== undefined && family === families[0]);
    if (!isOne && !families.includes(undefined)) this.faults.push(`exceptions of another family than ${cidr}`);
    return isOne ? { range: cidr, except } : undefined;
  }

  #portsOf(given: readonly NetworkPolicyPort[], all: readonly Selection[]): NonNullable<Allowance['ports']> {
    const ranges: PortRange[] = [];
    const destinations = new Set<string>();
    const asked = all.length * given.length > LOOKUPS_MAX && all.length > 1 ? [EVERY_POD] : all;
    for (const { port, endPort, protocol: text } of given) {
      const protocol = protocolOf(text);
      if (protocol === undefined || !isPort(port) || !isPort(endPort)) {
        this.faults.push(`port ${JSON.stringify({ protocol: text, port, endPort })}`);
        continue;
      }
      if (port === undefined) ranges.push({ protocol, from: 0, to: PORT_MAX });
      else if (typeof port === 'number') ranges.push({ protocol, from: port, to: endPort ?? port });
      else
        for (const selection of asked) {
          const id = `${port};${protocol};${selection.id}`;
          if (this.ports.size >= NAMES_MAX && !this.ports.has(id)) {
            this.faults.push(`port ${JSON.stringify(port)}: more than ${NAMES_MAX} ports by their names`);
            continue;
          }
          this.ports.set(id, { id, selection, name: port, protocol });
          destinations.add(id);
        }
    }
    return { ranges, destinations: [...destinations] };
  }
}

/** Of ports that have names, the name. */
function isPort(port: number | string | undefined): boolean {
  return typeof port !== 'number' || (Number.isInteger(port) && port > 0 && port <= PORT_MAX);
}

/** Undefined for what is no range, and for IPv4 in the dress of IPv6: packets do not wear it. */
function familyOfRange(text: string): 4 | 6 | undefined {
  const range = ipRange(text);
  if (range === undefined || isMappedIpv4(range.bytes)) return undefined;
  return range.bytes.length === 4 ? 4 : 6;
}
