import { createHash } from 'node:crypto';
import type { Direction, PolicedPod, PolicyChanges, PolicyRules } from '../policy-rules.ts';
import { hashedName } from './names.ts';
import { renderPolicy } from './render-policy.ts';
import type { Batch } from './table-content.ts';
import { TableDraft } from './table-draft.ts';

/** Of each there is a base chain of its name. */
export const DIRECTIONS: readonly Direction[] = ['egress', 'ingress'];
/** The digit that names of IPv4 and of IPv6 end with, and their type. */
export const FAMILIES = [
  ['4', 'ipv4_addr'],
  ['6', 'ipv6_addr'],
] as const;

const NONE: ReadonlyMap<string, readonly string[]> = new Map();

/** The lines of a table without any policy; one of that name that was there is gone. */
export function renderPolicyTable(ref: string): string[] {
  const lines = [`add table ${ref} { comment "Binnacle: network policies" ; }`, `delete table ${ref}`];
  lines.push(lines[0] ?? '');
  for (const [family, type] of FAMILIES) {
    lines.push(`add set ${ref} itself${family} { type ${type} . ${type} ; }`);
    for (const direction of DIRECTIONS)
      lines.push(`add map ${ref} ${direction}-pods${family} { type ${type} : verdict ; }`);
  }
  // Each direction has a base chain of its own: what one lets through, the other looks at.
  for (const [at, direction] of DIRECTIONS.entries()) {
    lines.push(`add chain ${ref} ${direction} { type filter hook forward priority ${at - 20} ; }`);
    const own = direction === 'ingress' ? 'daddr' : 'saddr';
    for (const rule of [
      'ct state established,related accept',
      // Neighbours are asked over the bridge, not by the node: that is no traffic of pods.
      'icmpv6 type { nd-router-solicit, nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert } accept',
      'ip saddr . ip daddr @itself4 accept',
      'ip6 saddr . ip6 daddr @itself6 accept',
      `ip ${own} vmap @${direction}-pods4`,
      `ip6 ${own} vmap @${direction}-pods6`,
    ])
      lines.push(`add rule ${ref} ${direction} ${rule}`);
  }
  return lines;
}

/** What the table of policies has in it, and the lines that take it from one state to the next. Pure. */
export class PolicyContent {
  readonly #draft: TableDraft;
  readonly #pods = new Map<string, PolicedPod>();
  /** Of policies. */
  readonly #chainsOf = new Map<string, readonly string[]>();
  /** Pods by their address; the first by name has it. */
  readonly #podsAt = new Map<string, Set<string>>();
  /** How many addresses lead to a chain that holds pods of the same policies back. */
  readonly #isolations = new Map<string, number>();
  /** Where an address leads to now. */
  readonly #leads = new Map<string, string>();

  constructor(ref: string) {
    this.#draft = new TableDraft(ref);
    for (const [family, type] of FAMILIES) {
      this.#draft.set(`itself${family}`, `set { type ${type} . ${type} ; }`, new Map());
      for (const direction of DIRECTIONS)
        this.#draft.set(`${direction}-pods${family}`, `map { type ${type} : verdict ; }`, new Map());
    }
    // Those are in the table already.
    this.#draft.take();
  }

  /** Takes changes in, and answers what they ask for. */
  change({ groups, destinations, policies, pods }: PolicyChanges): Batch {
    for (const [id, addresses] of groups) {
      for (const [family, type] of FAMILIES)
        this.#setMembers(`${hashedName('peers', id)}-${family}`, `set { type ${type} ; }`, of(family, addresses));
    }
    for (const [id, places] of destinations) {
      const written = places && new Set([...places].map((place) => place.replaceAll(' ', ' . ')));
      for (const [family, type] of FAMILIES) {
        const definition = `set { type ${type} . inet_proto . inet_service ; }`;
        this.#setMembers(`${hashedName('ports', id)}-${family}`, definition, of(family, written));
      }
    }
    for (const [id, policy] of policies) this.#setPolicy(id, policy);
    for (const [id, pod] of pods) this.#setPod(id, pod);
    return this.#draft.take();
  }

  #setMembers(name: string, definition: string, members: readonly string[] | undefined): void {
    if (members === undefined) this.#draft.dropSet(name);
    else this.#draft.set(name, definition, new Map(members.map((member) => [member, ''])));
  }

  #setPolicy(id: string, policy: PolicyRules | undefined): void {
    const name = hashedName('policy', id);
    const chains = policy === undefined ? NONE : renderPolicy(policy, name);
    for (const chain of this.#chainsOf.get(id) ?? []) if (!chains.has(chain)) this.#draft.chain(chain, undefined);
    for (const [chain, rules] of chains) this.#draft.chain(chain, rules);
    if (chains.size === 0) this.#chainsOf.delete(id);
    else this.#chainsOf.set(id, [...chains.keys()]);
  }

  #setPod(id: string, pod: PolicedPod | undefined): void {
    const touched = new Set([...(this.#pods.get(id)?.addresses ?? []), ...(pod?.addresses ?? [])]);
    if (pod === undefined) this.#pods.delete(id);
    else this.#pods.set(id, pod);
    for (const address of touched) {
      let claims = this.#podsAt.get(address);
      if (claims === undefined) this.#podsAt.set(address, (claims = new Set()));
      if (pod?.addresses.includes(address) === true) claims.add(id);
      else claims.delete(id);
      if (claims.size === 0) this.#podsAt.delete(address);
      this.#lead(address);
    }
  }

  /** Makes an address lead to what holds its pods back, in both directions. */
  #lead(address: string): void {
    const family = familyOf(address);
    const claims = [...(this.#podsAt.get(address) ?? [])].map((id) => ({ id, pod: this.#pods.get(id) }));
    claims.sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const direction of DIRECTIONS) {
      const policies = claims.find(({ pod }) => pod?.[direction] !== undefined)?.pod?.[direction];
      this.#point(`${direction} ${address}`, policies && this.#isolation(direction, policies));
      const chain = this.#leads.get(`${direction} ${address}`);
      this.#draft.element(`${direction}-pods${family}`, address, chain && `goto ${chain}`);
    }
    this.#draft.element(`itself${family}`, `${address} . ${address}`, claims.length === 0 ? undefined : '');
  }

  /** The chain of all pods that these policies hold back; it is made for the first. */
  #isolation(direction: Direction, policies: readonly string[]): string {
    const hash = createHash('sha256')
      .update(JSON.stringify([direction, policies]))
      .digest('hex')
      .slice(0, 20);
    const name = `${direction}-of-${hash}`;
    if (!this.#isolations.has(name)) {
      this.#draft.chain(name, [...policies.map((id) => `jump ${hashedName('policy', id)}`), 'drop']);
      this.#isolations.set(name, 0);
    }
    return name;
  }

  #point(place: string, chain: string | undefined): void {
    const before = this.#leads.get(place);
    if (chain !== undefined) {
      this.#leads.set(place, chain);
      this.#isolations.set(chain, (this.#isolations.get(chain) ?? 0) + 1);
    } else this.#leads.delete(place);
    if (before === undefined) return;
    const left = (this.#isolations.get(before) ?? 1) - 1;
    this.#isolations.set(before, left);
    if (left > 0) return;
    this.#isolations.delete(before);
    this.#draft.chain(before, undefined);
  }
}

function familyOf(address: string): '4' | '6' {
  return address.includes(':') ? '6' : '4';
}

function of(family: '4' | '6', members: ReadonlySet<string> | undefined): readonly string[] | undefined {
  return members && [...members].filter((member) => familyOf(member) === family);
}
