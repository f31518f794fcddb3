import type { Node } from '@binnacle/api/core/v1';
import { messageOf } from '@binnacle/base';
import type { CallContext, HttpCaller, HttpTrust } from '@binnacle/base';
import { ExtenderError } from '../errors.ts';
import type { PodDemand } from '../plan/demand.ts';
import type { Extender, ExtenderFilterResult, NodeVictims } from '../plan/extender.ts';

/** A resource that an extender manages. */
export interface ManagedResource {
  readonly name: string;
  /** NodeResourcesFit does not look at it. */
  readonly ignoredByScheduler?: boolean;
}

/** An extender as a configuration file describes it (kubescheduler.config.k8s.io/v1 Extender), files read. */
export interface ExtenderConfig {
  /** `https://host:port/path`; the verbs are added to it. */
  readonly urlPrefix: string;
  readonly filterVerb?: string;
  readonly prioritizeVerb?: string;
  readonly preemptVerb?: string;
  readonly bindVerb?: string;
  /** Of its priorities; 1 or more. */
  readonly weight: number;
  readonly trust?: HttpTrust;
  readonly timeoutMs: number;
  /** It knows the nodes: their names suffice. */
  readonly nodeCacheCapable: boolean;
  readonly managedResources: readonly ManagedResource[];
  readonly ignorable: boolean;
}

/** A reply that is longer is refused: 64 MiB, some ten thousand nodes as objects. */
const REPLY_BYTES_MAX = 64 * 2 ** 20;

/** An extender over HTTP (kube-scheduler/extender/v1: POST, JSON). Every failure is an ExtenderError. */
export function createHttpExtender(config: ExtenderConfig, http: HttpCaller): Extender {
  const { filterVerb, prioritizeVerb, preemptVerb, bindVerb, ignorable, weight } = config;
  const peer = new Peer(config, http);
  const managed = new Set(config.managedResources.map((r) => r.name));
  return {
    name: config.urlPrefix,
    ignorable,
    weight,
    isInterested: (demand) => managed.size === 0 || asksFor(demand, managed),
    ...(filterVerb === undefined
      ? {}
      : { filter: (d, nodes, context) => peer.filter(filterVerb, [d, nodes], context) }),
    ...(prioritizeVerb === undefined
      ? {}
      : { prioritize: (d, nodes, context) => peer.prioritize(prioritizeVerb, [d, nodes], context) }),
    ...(preemptVerb === undefined
      ? {}
      : { preempt: (d, candidates, context) => peer.preempt(preemptVerb, [d, candidates], context) }),
    ...(bindVerb === undefined ? {} : { bind: (d, node, context) => peer.bind(bindVerb, [d, node], context) }),
  };
}

function asksFor({ pod }: PodDemand, resources: ReadonlySet<string>): boolean {
  const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
  return containers.some(({ resources: own }) =>
    [own?.requests, own?.limits].some((amounts) => Object.keys(amounts ?? {}).some((name) => resources.has(name))),
  );
}

type About = readonly [demand: PodDemand, nodes: readonly Node[]];

class Peer {
  readonly #config: ExtenderConfig;
  readonly #http: HttpCaller;

  constructor(config: ExtenderConfig, http: HttpCaller) {
    this.#config = config;
    this.#http = http;
  }

  async filter(verb: string, about: About, context?: CallContext): Promise<ExtenderFilterResult> {
    const reply = this.#object(await this.#post(verb, this.#nodesBody(about), context));
    this.#refuseError(reply['Error'] ?? reply['error']);
    const names = reply['NodeNames'] ?? reply['nodenames'];
    const items = this.#object(reply['Nodes'] ?? reply['nodes'] ?? {})['items'] ?? [];
    const kept = this.#config.nodeCacheCapable && names !== undefined && names !== null ? names : this.#namesOf(items);
    return {
      kept: new Set(this.#texts(kept)),
      refused: this.#reasons(reply['FailedNodes'] ?? reply['failedNodes']),
      unresolvable: this.#reasons(reply['FailedAndUnresolvableNodes'] ?? reply['failedAndUnresolvableNodes']),
    };
  }

  async prioritize(verb: string, about: About, context?: CallContext): Promise<ReadonlyMap<string, number>> {
    const reply = await this.#post(verb, this.#nodesBody(about), context);
    if (!Array.isArray(reply)) throw this.#unusable('expected a list of priorities');
    const scores = new Map<string, number>();
    for (const item of reply as readonly unknown[]) {
      const given = this.#object(item);
      const host = given['Host'] ?? given['host'];
      const score = given['Score'] ?? given['score'];
      if (typeof host !== 'string' || typeof score !== 'number') throw this.#unusable('expected Host and Score');
      scores.set(host, score);
    }
    return scores;
  }

  async preempt(
    verb: string,
    [demand, candidates]: readonly [PodDemand, ReadonlyMap<string, NodeVictims>],
    context?: CallContext,
  ): Promise<ReadonlyMap<string, { readonly uids: readonly string[]; readonly budgetViolations: number }>> {
    const victims = [...candidates].map(([node, { pods, budgetViolations }]) => {
      const told = this.#config.nodeCacheCapable ? pods.map((p) => ({ UID: p.uid })) : pods.map((p) => p.pod);
      return [node, { Pods: told, NumPDBViolations: budgetViolations }] as const;
    });
    const field = this.#config.nodeCacheCapable ? 'NodeNameToMetaVictims' : 'NodeNameToVictims';
    const body = { Pod: demand.pod, [field]: Object.fromEntries(victims) };
    const reply = this.#object(await this.#post(verb, body, context));
    const left = new Map<string, { uids: readonly string[]; budgetViolations: number }>();
    const told = this.#object(reply['NodeNameToMetaVictims'] ?? reply['nodeNameToMetaVictims'] ?? {});
    for (const [node, value] of Object.entries(told)) {
      const { Pods = [], NumPDBViolations = 0 } = this.#object(value);
      if (!Array.isArray(Pods)) throw this.#unusable('expected a list of pods');
      const uids = (Pods as readonly unknown[]).map((p) => this.#text(this.#object(p)['UID']));
      left.set(node, { uids, budgetViolations: Number(NumPDBViolations) });
    }
    return left;
  }

  async bind(verb: string, [demand, node]: readonly [PodDemand, string], context?: CallContext): Promise<void> {
    const { name, namespace } = demand.pod.metadata;
    const body = { PodName: name, PodNamespace: namespace, PodUID: demand.uid, Node: node };
    const reply = this.#object(await this.#post(verb, body, context));
    this.#refuseError(reply['Error'] ?? reply['error']);
  }

  #nodesBody([demand, nodes]: About): unknown {
    if (this.#config.nodeCacheCapable) {
      return { Pod: demand.pod, Nodes: null, NodeNames: nodes.map((n) => n.metadata.name ?? '') };
    }
    const list = { kind: 'NodeList', apiVersion: 'v1', metadata: {}, items: nodes };
    return { Pod: demand.pod, Nodes: list, NodeNames: null };
  }

  async #post(verb: string, body: unknown, context: CallContext = {}): Promise<unknown> {
    const { urlPrefix, timeoutMs, trust } = this.#config;
    try {
      const reply = await this.#http.request({
        method: 'POST',
        url: `${urlPrefix.replace(/\/+$/, '')}/${verb}`,
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: new TextEncoder().encode(JSON.stringify(body)),
        timeoutMs,
        ...(trust === undefined ? {} : { trust }),
        ...(context.signal === undefined ? {} : { signal: context.signal }),
      });
      if (reply.status !== 200) throw this.#unusable(`answered ${verb} with code ${reply.status}`);
      return JSON.parse(await this.#textOf(reply.body)) as unknown;
    } catch (error) {
      if (error instanceof ExtenderError) throw error;
      throw new ExtenderError(urlPrefix, messageOf(error), error);
    }
  }

  async #textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
    const decoder = new TextDecoder();
    const parts: string[] = [];
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > REPLY_BYTES_MAX) throw this.#unusable(`answered with more than ${REPLY_BYTES_MAX} bytes`);
      parts.push(decoder.decode(chunk, { stream: true }));
    }
    return parts.join('') + decoder.decode();
  }

  #unusable(message: string): ExtenderError {
    return new ExtenderError(this.#config.urlPrefix, message);
  }

  #refuseError(text: unknown): void {
    if (typeof text === 'string' && text !== '') throw this.#unusable(text);
  }

  #object(value: unknown): { readonly [field: string]: unknown } {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.#unusable('expected an object');
    return value as { readonly [field: string]: unknown };
  }

  #text(value: unknown): string {
    if (typeof value !== 'string') throw this.#unusable('expected a string');
    return value;
  }

  #texts(value: unknown): readonly string[] {
    if (!Array.isArray(value)) throw this.#unusable('expected a list of names');
    return (value as readonly unknown[]).map((item) => this.#text(item));
  }

  #namesOf(items: unknown): readonly string[] {
    if (!Array.isArray(items)) throw this.#unusable('expected a list of nodes');
    return (items as readonly unknown[]).map((item) =>
      this.#text(this.#object(this.#object(item)['metadata'])['name']),
    );
  }

  #reasons(value: unknown): ReadonlyMap<string, string> {
    return new Map(Object.entries(this.#object(value ?? {})).map(([node, reason]) => [node, this.#text(reason)]));
  }
}
