import { ElementChange } from './element-lines.ts';
import type { ElementLines } from './element-lines.ts';
import { endpointMap } from './names.ts';
import type { Protocol } from '../rules.ts';
import type { Destination } from './render-service.ts';

/** Which map has a part of a destination as its element; the value is the part. */
export type PartMaps = { readonly [part in Part]?: string };
type Part = 'forward' | 'filter' | 'firewall';
const PARTS: readonly Part[] = ['forward', 'filter', 'firewall'];

interface Claim {
  readonly id: string;
  readonly to: Destination;
}

/**
 * Elements that Services claim, and who has each: the one of lower rank, then the first by name. Remembers what was
 * there when it was told last, however often an element changes on the way.
 */
export class Claims {
  readonly #maps: PartMaps;
  readonly #holders = new Map<string, Claim>();
  /** Who claims what somebody else has; hardly anybody does. */
  readonly #rivals = new Map<string, Map<string, Destination>>();
  readonly #touched = new Map<string, Destination | undefined>();

  constructor(maps: PartMaps) {
    this.#maps = maps;
  }

  /** How many elements there are. */
  get size(): number {
    return this.#holders.size;
  }

  /** Sets a claim; undefined: gives it up. */
  put(key: string, id: string, to: Destination | undefined): void {
    const holder = this.#holders.get(key);
    if (!this.#touched.has(key)) this.#touched.set(key, holder?.to);
    if (holder === undefined || holder.id === id) this.#put(key, id, to);
    else if (to === undefined) this.#withdraw(key, id);
    else this.#contest(key, holder, { id, to });
  }

  /** The lines from what was told last to what is claimed now. */
  take(ref: string, lines: ElementLines): void {
    for (const part of PARTS) {
      const map = this.#maps[part];
      if (map === undefined) continue;
      const change = new ElementChange(`${ref} ${map}`);
      for (const [key, was] of this.#touched) {
        const [before, after] = [was?.[part], this.#holders.get(key)?.to[part]];
        if (before !== after) change.turn(key, before, after);
      }
      change.tell(lines);
    }
    this.#takeEndpoints(ref, lines);
    this.#touched.clear();
  }

  #takeEndpoints(ref: string, lines: ElementLines): void {
    /** Of each protocol's maps, by the endpoint's number. */
    const changes = new Map<Protocol, ElementChange[]>();
    for (const [key, was] of this.#touched) {
      const [before, after] = [was?.endpoints, this.#holders.get(key)?.to.endpoints];
      const any = after ?? before;
      if (any === undefined || before === after) continue;
      const { protocol } = any;
      const [had, has] = [before?.places ?? [], after?.places ?? []];
      let maps = changes.get(protocol);
      if (maps === undefined) changes.set(protocol, (maps = []));
      for (let at = 0; at < Math.max(had.length, has.length); at++) {
        if (had[at] === has[at]) continue;
        const change = (maps[at] ??= new ElementChange(`${ref} ${endpointMap(protocol, at)}`));
        change.turn(any.key, had[at], has[at]);
      }
    }
    // Numbers that nobody changed are holes.
    for (const maps of changes.values()) maps.forEach((change) => change.tell(lines));
  }

  /** Nobody has it, or the claimant does. */
  #put(key: string, id: string, to: Destination | undefined): void {
    const rivals = this.#rivals.get(key);
    if (rivals === undefined) {
      if (to === undefined) this.#holders.delete(key);
      else this.#holders.set(key, { id, to });
      return;
    }
    // Whoever is next may be before the new claim of who has it.
    let first: Claim | undefined = to && { id, to };
    for (const [other, theirs] of rivals) {
      const rival = { id: other, to: theirs };
      if (first === undefined || isBefore(rival, first)) first = rival;
    }
    if (first === undefined) return;
    if (first.id !== id && to !== undefined) rivals.set(id, to);
    this.#holders.set(key, first);
    this.#withdraw(key, first.id);
  }

  #contest(key: string, holder: Claim, claim: Claim): void {
    let rivals = this.#rivals.get(key);
    if (rivals === undefined) this.#rivals.set(key, (rivals = new Map()));
    if (isBefore(claim, holder)) {
      rivals.delete(claim.id);
      rivals.set(holder.id, holder.to);
      this.#holders.set(key, claim);
    } else rivals.set(claim.id, claim.to);
  }

  #withdraw(key: string, id: string): void {
    const rivals = this.#rivals.get(key);
    rivals?.delete(id);
    if (rivals?.size === 0) this.#rivals.delete(key);
  }
}

function isBefore(a: Claim, b: Claim): boolean {
  return a.to.rank === b.to.rank ? a.id < b.id : a.to.rank < b.to.rank;
}
