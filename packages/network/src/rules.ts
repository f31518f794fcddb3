/** What a node does with traffic to Services, as plain data: decided by the proxy, made real by a driver. */

/** The two sorts of addresses. */
export type Family = 'IPv4' | 'IPv6';

/** What Services speak. */
export type Protocol = 'tcp' | 'udp' | 'sctp';

/** One place that answers for a Service. */
export interface Backend {
  readonly address: string;
  readonly port: number;
  /** It is on this node: connections to itself through its Service must not seem to come from itself. */
  readonly local: boolean;
}

/**
 * What becomes of a connection: it goes to one of the backends that are there for the traffic policy (`near`: of this node
 * and of those that reach the world through it), or is refused, or is dropped without a word.
 */
export type Fate = 'cluster' | 'local' | 'near' | 'reject' | 'drop';

/** How a Service's port is reached from outside of its cluster: node port, load balancer, external addresses. */
export interface ExternalRules {
  /** Where it answers with the Service's own port. */
  readonly addresses: readonly string[];
  /** 0: none. */
  readonly nodePort: number;
  readonly fate: Fate;
  /**
   * Policy Local: who comes from this node, its pods and the machine itself, goes to any backend, as if it had gone
   * out and come back; others keep their source address. Absent: all go the same way and are masqueraded.
   */
  readonly keepsSource: boolean;
  /** What becomes of those from this node, where sources are kept. */
  readonly insideFate: Fate;
}

/** Who may reach a load balancer's addresses. */
export interface Firewall {
  readonly addresses: readonly string[];
  /** CIDRs. */
  readonly sources: readonly string[];
}

/** One port of one Service in one family. */
export interface ServiceRules {
  /** `namespace/name/port/protocol/family`, unique. */
  readonly id: string;
  readonly family: Family;
  readonly protocol: Protocol;
  readonly port: number;
  readonly clusterIP: string;
  readonly internalFate: Fate;
  /** Absent: it is reached from inside alone. */
  readonly external?: ExternalRules;
  readonly firewall?: Firewall;
  /** By policy; sorted, without doubles. A policy that no fate names has none. */
  readonly backends: {
    readonly cluster: readonly Backend[];
    readonly local: readonly Backend[];
    /** Absent: none. */
    readonly near?: readonly Backend[];
  };
  /**
   * Of UDP: who else serves, on the way out or left aside by a policy or a hint. Nobody new is sent there; who speaks to
   * them already goes on, and hears the end of it. Absent: nobody.
   */
  readonly lingering?: readonly Pick<Backend, 'address' | 'port'>[];
  /** How long a client keeps its backend; 0: it does not. */
  readonly affinitySeconds: number;
}

/** What holds for all Services of a node. */
export interface NodeRules {
  /** CIDRs of the cluster's pods: from elsewhere, ClusterIPs are masqueraded. Empty: not known, nothing is. */
  readonly podRanges: readonly string[];
  /** CIDRs of ClusterIPs: what nobody has there is dropped instead of leaving the machine. */
  readonly serviceRanges: readonly string[];
  /** Addresses of this machine that answer on node ports; absent: all but loopback. */
  readonly nodePortAddresses?: readonly string[];
  /** CIDRs that may use Services beside the machine itself; absent: everybody. */
  readonly insiders?: readonly string[];
  /**
   * How links of clusters of this machine are named, by their first letters: `all` of them, and this cluster's `own`. What
   * comes by another cluster's link to an address of Services means that cluster's. Absent: there is no other cluster.
   */
  readonly links?: { readonly all: string; readonly own: string };
  /** What leaves from these CIDRs for anywhere but the others goes as from the node. Absent: somebody else sees to it. */
  readonly masqueradeOut?: { readonly from: readonly string[]; readonly except: readonly string[] };
  /** ClusterIPs are masqueraded whoever asks. */
  readonly masqueradeAll: boolean;
  /** The bit of the packet mark that asks for it, 0 to 31. */
  readonly masqueradeBit: number;
}

/** Makes rules real on a machine. Calls do not overlap. */
export interface ServiceNetwork {
  /** From now on these rules hold and no others, whatever was there: the first call, and after somebody else's hand. */
  replace(node: NodeRules, services: ReadonlyMap<string, ServiceRules>): Promise<void>;
  /** These Services' ports are like this now; undefined: gone. All of it, or nothing. */
  change(changes: ReadonlyMap<string, ServiceRules | undefined>): Promise<void>;
  /** Takes everything of ours away. */
  remove(): Promise<void>;
  /** Whether our rules are as we left them, as far as a glance tells. */
  isThere(): Promise<boolean>;
}
