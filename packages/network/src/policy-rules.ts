/** Who may talk with the pods of a node, as plain data: decided by the proxy, made real by a driver. */
import type { Protocol } from './rules.ts';

/** As the pod sees it that is held back. */
export type Direction = 'ingress' | 'egress';

/** A range of addresses, without some of it; CIDRs. */
export interface AddressBlock {
  readonly range: string;
  readonly except: readonly string[];
}

/** Ports of one protocol, both ends included. */
export interface PortRange {
  readonly protocol: Protocol;
  readonly from: number;
  readonly to: number;
}

/** Whom one rule lets through: one of the peers, at one of the ports. */
export interface Allowance {
  /** Groups by their id, and blocks of addresses. Absent: anybody. */
  readonly peers?: { readonly groups: readonly string[]; readonly blocks: readonly AddressBlock[] };
  /** Ranges, and sets of destinations by their id. Absent: anything of any protocol. */
  readonly ports?: { readonly ranges: readonly PortRange[]; readonly destinations: readonly string[] };
}

/** What one policy lets through in one direction. */
export interface PolicyRules {
  readonly direction: Direction;
  readonly allowances: readonly Allowance[];
}

/** A pod of this node that policies bear on; in a direction that is absent it is not held back. */
export interface PolicedPod {
  readonly addresses: readonly string[];
  /** Ids of policies, sorted: one of them must let a connection through. */
  readonly ingress?: readonly string[];
  readonly egress?: readonly string[];
}

/** The four sorts of things that policies are told by; what one names by its id is there. */
export interface PolicyState {
  /** Addresses of peers, by the group's id. */
  readonly groups: ReadonlyMap<string, ReadonlySet<string>>;
  /** `address protocol port`, where a port has a name: by the id of who asks. */
  readonly destinations: ReadonlyMap<string, ReadonlySet<string>>;
  readonly policies: ReadonlyMap<string, PolicyRules>;
  readonly pods: ReadonlyMap<string, PolicedPod>;
}

/** What is otherwise than it was told last; undefined: gone. */
export type PolicyChanges = {
  readonly [part in keyof PolicyState]: PolicyState[part] extends ReadonlyMap<string, infer Told>
    ? ReadonlyMap<string, Told | undefined>
    : never;
};

/**
 * Holds connections of pods back. What is established goes on; a pod reaches itself; the node reaches its pods and they
 * reach it. Calls do not overlap.
 */
export interface PolicyNetwork {
  /** From now on these policies hold and no others, whatever was there. */
  replace(state: PolicyState): Promise<void>;
  /** All of it, or nothing. What UDP said to or by who has left a group is forgotten: the address may be another's next. */
  change(changes: PolicyChanges): Promise<void>;
  /**
   * A pod that is held back begins with these addresses. UDP has no end: what was said to or by whoever had them before is
   * forgotten, since it would pass as established. Calls may overlap with any other.
   */
  begin(addresses: readonly string[]): Promise<void>;
  /** Takes everything of ours away. */
  remove(): Promise<void>;
}
