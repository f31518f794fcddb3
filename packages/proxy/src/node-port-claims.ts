import type { ServiceRules } from '@binnacle/network';

/** Who has a port of this machine beside us, and whether it is theirs where both have it. */
export interface PortHolder {
  readonly rules: string;
  readonly isFirst: boolean;
}

/** By `IPv4/tcp/30080`. */
export type TakenPorts = ReadonlyMap<string, PortHolder>;

/** A Service's node port that leads elsewhere. */
export interface RefusedPort {
  /** As its rules have it: `namespace/name/port/protocol/family`. */
  readonly id: string;
  /** `tcp/30080`. */
  readonly port: string;
  readonly holder: string;
}

type Changes = ReadonlyMap<string, ServiceRules | undefined>;

/** Which node ports are ours on a machine that other clusters share: who has one keeps it. */
export class NodePortClaims {
  readonly #told: (refused: RefusedPort) => void;
  /** Doors of our rules, by id. */
  readonly #held = new Map<string, string>();
  readonly #refused = new Map<string, { readonly door: string; readonly holder: string }>();

  /** `told`: hears of each refusal once. */
  constructor(told: (refused: RefusedPort) => void) {
    this.#told = told;
  }

  /** Whether these ask for a node port that they did not have. */
  asksForMore(changes: Changes): boolean {
    for (const [id, rules] of changes) {
      const door = rules && doorOf(rules);
      if (door !== undefined && this.#held.get(id) !== door) return true;
    }
    return false;
  }

  /** The same rules, without the node ports that are another's. `isAll`: there are no others. */
  settle(changes: Changes, taken: TakenPorts, { isAll = false } = {}): Map<string, ServiceRules | undefined> {
    const settled = new Map<string, ServiceRules | undefined>();
    for (const kept of isAll ? [this.#held, this.#refused] : [])
      for (const id of kept.keys()) if (!changes.has(id)) kept.delete(id);
    for (const [id, rules] of changes) settled.set(id, this.#judge(id, rules, taken));
    return settled;
  }

  /** Whether what others have now makes us settle anew. */
  isStale(taken: TakenPorts): boolean {
    for (const { door } of this.#refused.values()) if (!taken.has(door)) return true;
    for (const door of this.#held.values()) if (taken.get(door)?.isFirst === true) return true;
    return false;
  }

  /** Whether there is anything that others could have. */
  get isEmpty(): boolean {
    return this.#held.size + this.#refused.size === 0;
  }

  #judge(id: string, rules: ServiceRules | undefined, taken: TakenPorts): ServiceRules | undefined {
    const door = rules && doorOf(rules);
    const holder = taken.get(door ?? '');
    const isOurs = holder === undefined || (this.#held.get(id) === door && !holder.isFirst);
    if (rules === undefined || door === undefined || isOurs) {
      this.#refused.delete(id);
      if (door === undefined) this.#held.delete(id);
      else this.#held.set(id, door);
      return rules;
    }
    this.#held.delete(id);
    const before = this.#refused.get(id);
    if (before?.door !== door || before.holder !== holder.rules) {
      this.#refused.set(id, { door, holder: holder.rules });
      this.#told({ id, port: `${rules.protocol}/${rules.external?.nodePort}`, holder: holder.rules });
    }
    return withoutNodePort(rules);
  }
}

function doorOf({ family, protocol, external }: ServiceRules): string | undefined {
  const nodePort = external?.nodePort ?? 0;
  return nodePort === 0 ? undefined : `${family}/${protocol}/${nodePort}`;
}

function withoutNodePort(rules: ServiceRules): ServiceRules {
  const { external, ...inner } = rules;
  if (external === undefined || external.addresses.length === 0) return inner;
  return { ...inner, external: { ...external, nodePort: 0 } };
}
