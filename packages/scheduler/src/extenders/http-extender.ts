import type { Node } from '@binnacle/api/core/v1';
import { messageOf } from '@binnacle/base';
import type { CallContext, HttpCaller, HttpTrust } from '@binnacle/base';
import { ExtenderError } from '../errors.ts';
import type { PodDemand } from '../plan/demand.ts';
import type { Extender, ExtenderFilterResult, NodeVictims, VictimsLeft } from '../plan/extender.ts';

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

/** A reply that is longer is refused: 64 MiB, some ten thousand nodes as objects … */
const NODES_BYTES_MAX = 64 * 2 ** 20;
/** … and where names are asked for: those of as many nodes, with a reason each. */
const NAMES_BYTES_MAX = 8 * 2 ** 20;
/** What an extender says is shown to people, kept with decisions, and written into pods: of each text so much. */
const TEXT_LENGTH_MAX = 256;

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

/** A field of a reply, in whatever case it is written, as Go reads it; undefined also where it is null. */
function field(reply: { readonly [name: string]: unknown }, name: string): unknown {
  if (Object.hasOwn(reply, name)) return reply[name] ?? undefined;
  const lower = name.toLowerCase();
  const key = Object.keys(reply).find((k) => k.length === name.length && k.toLowerCase() === lower);
  return key === undefined ? undefined : (reply[key] ?? undefined);
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
    this.#refuseError(field(reply, 'Error'));
    const names = field(reply, 'NodeNames');
    const items = field(this.#object(field(reply, 'Nodes') ?? {}), 'items') ?? [];
    const kept = this.#config.nodeCacheCapable && names !== undefined ? this.#texts(names) : this.#namesOf(items);
    const asked = new Set(about[1].map((node) => node.metadata.name));
    const stranger = kept.find((name) => !asked.has(name));
    if (stranger !== undefined) {
      const named = JSON.stringify(stranger.slice(0, TEXT_LENGTH_MAX));
      throw this.#unusable(`claims a filtered node ${named} which is not found in the input node list`);
    }
    return {
      kept: new Set(kept),
      refused: this.#reasons(field(reply, 'FailedNodes')),
      unresolvable: this.#reasons(field(reply, 'FailedAndUnresolvableNodes')),
    };
  }

  async prioritize(verb: string, about: About, context?: CallContext): Promise<ReadonlyMap<string, number>> {
    const reply = await this.#post(verb, this.#nodesBody(about), context);
    if (!Array.isArray(reply)) throw this.#unusable('expected a list of priorities');
    const scores = new Map<string, number>();
    for (const item of reply as readonly unknown[]) {
      const given = this.#object(item);
      const host = this.#text(field(given, 'Host'));
      scores.set(host, this.#whole(field(given, 'Score') ?? 0));
    }
    return scores;
  }

  async preempt(
    verb: string,
    [demand, candidates]: readonly [PodDemand, ReadonlyMap<string, NodeVictims>],
    context?: CallContext,
  ): Promise<ReadonlyMap<string, VictimsLeft>> {
    const victims = [...candidates].map(([node, { pods, budgetViolations }]) => {
      const told = this.#config.nodeCacheCapable ? pods.map((p) => ({ UID: p.uid })) : pods.map((p) => p.pod);
      return [node, { Pods: told, NumPDBViolations: budgetViolations }] as const;
    });
    const key = this.#config.nodeCacheCapable ? 'NodeNameToMetaVictims' : 'NodeNameToVictims';
    const body = { Pod: demand.pod, [key]: Object.fromEntries(victims) };
    const reply = this.#object(await this.#post(verb, body, context));
    const left = new Map<string, VictimsLeft>();
    const told = this.#object(field(reply, 'NodeNameToMetaVictims') ?? {});
    for (const [node, value] of Object.entries(told)) {
      const given = this.#object(value ?? {});
      const pods = field(given, 'Pods') ?? [];
      if (!Array.isArray(pods)) throw this.#unusable('expected a list of pods');
      const uids = (pods as readonly unknown[]).map((p) => this.#text(field(this.#object(p), 'UID')));
      left.set(node, { uids, budgetViolations: this.#whole(field(given, 'NumPDBViolations') ?? 0) });
    }
    return left;
  }

  async bind(verb: string, [demand, node]: readonly [PodDemand, string], context?: CallContext): Promise<void> {
    const { name, namespace } = demand.pod.metadata;
    const body = { PodName: name, PodNamespace: namespace, PodUID: demand.uid, Node: node };
    const reply = this.#object(await this.#post(verb, body, context));
    this.#refuseError(field(reply, 'Error'));
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
    const most = this.#config.nodeCacheCapable ? NAMES_BYTES_MAX : NODES_BYTES_MAX;
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > most) throw this.#unusable(`answered with more than ${most} bytes`);
      parts.push(decoder.decode(chunk, { stream: true }));
    }
    return parts.join('') + decoder.decode();
  }

  #unusable(message: string): ExtenderError {
    return new ExtenderError(this.#config.urlPrefix, message);
  }

  #refuseError(text: unknown): void {
    if (typeof text === 'string' && text !== '') throw this.#unusable(text.slice(0, TEXT_LENGTH_MAX));
  }

  #object(value: unknown): { readonly [field: string]: unknown } {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.#unusable('expected an object');
    return value as { readonly [field: string]: unknown };
  }

  #text(value: unknown): string {
    if (typeof value !== 'string') throw this.#unusable('expected a string');
    return value;
  }

  #whole(value: unknown): number {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw this.#unusable('expected a whole number');
    return value;
  }

  #texts(value: unknown): readonly string[] {
    if (!Array.isArray(value)) throw this.#unusable('expected a list of names');
    return (value as readonly unknown[]).map((item) => this.#text(item));
  }

  #namesOf(items: unknown): readonly string[] {
    if (!Array.isArray(items)) throw this.#unusable('expected a list of nodes');
    return (items as readonly unknown[]).map((item) =>
      this.#text(field(this.#object(field(this.#object(item), 'metadata')), 'name')),
    );
  }

  #reasons(value: unknown): ReadonlyMap<string, string> {
    const reasons = Object.entries(this.#object(value ?? {}));
    return new Map(reasons.map(([node, reason]) => [node, this.#text(reason).slice(0, TEXT_LENGTH_MAX)]));
  }
}
