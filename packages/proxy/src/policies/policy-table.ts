import { wellknown } from '@binnacle/api';
import type { Namespace, Pod } from '@binnacle/api/core/v1';
import type { NetworkPolicy } from '@binnacle/api/networking/v1';
import type { Direction, PolicedPod, PolicyChanges, PolicyRules, PolicyState } from '@binnacle/network';
import { readPod } from './policed-pod.ts';
import { PodGroups } from './pod-groups.ts';
import type { PodGroup } from './pod-groups.ts';
import { readPolicy } from './read-policy.ts';
import type { NamedPort, ReadPolicy } from './read-policy.ts';
import type { Selection } from './selection.ts';

/** What of one sort is to be told, and what was told. */
class Telling<T> {
  readonly #told = new Set<string>();
  readonly #dirty = new Set<string>();

  touch(id: string): void {
    this.#dirty.add(id);
  }

  get isDirty(): boolean {
    return this.#dirty.size > 0;
  }

  /** Everything is to be told as if nothing had been. */
  restart(): void {
    for (const id of this.#told) this.#dirty.add(id);
    this.#told.clear();
  }

  take(tell: (id: string) => T | undefined): Map<string, T | undefined> {
    const changes = new Map<string, T | undefined>();
    for (const id of this.#dirty) {
      const value = tell(id);
      if (value !== undefined) this.#told.add(id);
      else if (!this.#told.delete(id)) continue;
      changes.set(id, value);
    }
    this.#dirty.clear();
    return changes;
  }
}

/** Who uses a group for what. */
interface Uses {
  /** Policies that hold its pods back. */
  readonly targetOf: Set<string>;
  /** How many policies name it as their peer. */
  peerOf: number;
  /** Destinations made of it, by id, with how many policies name them. */
  readonly ports: Map<string, { readonly port: NamedPort; users: number }>;
}

interface EarlyPod {
  readonly uid: string;
  readonly addresses: readonly string[];
  /** The pod of the same name that the API told of when this one began. */
  readonly uidBefore?: string;
}

/** A pod that begins is told of before the API's word of its end is heard, or soon after: so many ends are remembered. */
const ENDS_MAX = 1000;

/** Policies, pods and namespaces as they come, and what of a node's policies they change. Nothing is computed before it is asked for. */
export class PolicyTable {
  readonly #nodeName: string;
  readonly #policies = new Map<string, ReadPolicy>();
  /** Addresses of pods of this node that the API has not told of yet. */
  readonly #early = new Map<string, EarlyPod>();
  /** Of all pods that the API has told of. */
  readonly #uids = new Map<string, string>();
  /** Uids of pods that the API told of last that they are gone. */
  readonly #ended = new Set<string>();
  readonly #uses = new Map<string, Uses>();
  readonly #portGroups = new Map<string, string>();
  readonly #groups = new PodGroups({ changed: (group) => this.#groupChanged(group) });
  readonly #telling = {
    groups: new Telling<ReadonlySet<string>>(),
    destinations: new Telling<ReadonlySet<string>>(),
    policies: new Telling<PolicyRules>(),
    pods: new Telling<PolicedPod>(),
  };

  constructor(nodeName: string) {
    this.#nodeName = nodeName;
  }

  /** Whether something came since the last `changes`. */
  get isDirty(): boolean {
    return Object.values(this.#telling).some(({ isDirty }) => isDirty);
  }

  /** Whether there is any policy: without one, pods and namespaces need not be known. */
  get isNeeded(): boolean {
    return this.#policies.size > 0;
  }

  /** Answers what of it means nothing: that lets nobody through. */
  setPolicy(policy: NetworkPolicy): readonly string[] {
    this.removePolicy(policy);
    const read = readPolicy(policy);
    this.#policies.set(read.key, read);
    this.#useAll(read);
    for (const direction of read.rules.keys()) this.#telling.policies.touch(`${read.key}/${direction}`);
    this.#touchPods(read.targets.id);
    return read.faults;
  }

  removePolicy({ metadata: { namespace = '', name = '' } }: Pick<NetworkPolicy, 'metadata'>): void {
    const read = this.#policies.get(`${namespace}/${name}`);
    if (read === undefined) return;
    this.#touchPods(read.targets.id);
    for (const direction of read.rules.keys()) this.#telling.policies.touch(`${read.key}/${direction}`);
    this.#policies.delete(read.key);
    this.#releaseAll(read);
  }

  setPod(pod: Pod): void {
    const { namespace = '', name = '' } = pod.metadata;
    const key = `${namespace}/${name}`;
    const uid = uidOf(pod);
    this.#uids.set(key, uid);
    const early = this.#early.get(key);
    // The one before, of the same name, is on its way out.
    if (early?.uidBefore === uid) return;
    if (early === undefined || early.uid !== uid || toldIn(pod) === early.addresses.join()) {
      this.#early.delete(key);
      this.#put(key, pod);
    } else this.#put(key, withAddresses(pod, early.addresses));
  }

  /**
   * The node knows the addresses of its pod before the API does: they hold until the pod tells of them itself, or goes.
   * False: it is gone already, and nobody would take back what held of it.
   */
  setEarly(pod: Pod, addresses: readonly string[]): boolean {
    const { namespace = '', name = '', uid = '' } = pod.metadata;
    if (this.#ended.has(uid)) return false;
    const key = `${namespace}/${name}`;
    const uidBefore = this.#uids.get(key);
    this.#early.set(key, { uid, addresses, ...(uidBefore === undefined || uidBefore === uid ? {} : { uidBefore }) });
    this.#put(key, withAddresses(pod, addresses));
    return true;
  }

  /** Whether the pod is known to have these addresses. */
  has(pod: Pod, addresses: readonly string[]): boolean {
    const { namespace = '', name = '', uid = '' } = pod.metadata;
    const key = `${namespace}/${name}`;
    const known = this.#early.get(key)?.uid ?? this.#uids.get(key);
    const asked = readPod(withAddresses(pod, addresses), this.#nodeName)?.addresses.toSorted();
    return known === uid && this.#groups.pod(key)?.addresses.toSorted().join() === asked?.join();
  }

  /** Whether a policy bears on the pod, which is this node's. */
  isHeld({ metadata: { namespace = '', name = '' } }: Pick<Pod, 'metadata'>): boolean {
    return this.#policedPod(`${namespace}/${name}`) !== undefined;
  }

  /**
   * A pod of this node has ended. What holds for it early goes, whether or not the API ever tells of it: nobody tells of the
   * end of a static pod whose mirror was refused.
   */
  releaseEarly(pod: Pod): void {
    const { namespace = '', name = '', uid = '' } = pod.metadata;
    const key = `${namespace}/${name}`;
    if (this.#early.get(key)?.uid !== uid) return;
    this.#early.delete(key);
    this.#put(key, undefined);
  }

  removePod(pod: Pick<Pod, 'metadata'>): void {
    const { namespace = '', name = '', uid = '' } = pod.metadata;
    const key = `${namespace}/${name}`;
    this.#uids.delete(key);
    // A static pod goes on without its mirror.
    if (uidOf(pod) === uid) this.#end(uid);
    if (this.#early.get(key)?.uidBefore === uidOf(pod)) return;
    this.#early.delete(key);
    this.#put(key, undefined);
  }

  #end(uid: string): void {
    this.#ended.add(uid);
    const [oldest = ''] = this.#ended;
    if (this.#ended.size > ENDS_MAX) this.#ended.delete(oldest);
  }

  #put(key: string, pod: Pod | undefined): void {
    const place = pod === undefined ? undefined : readPod(pod, this.#nodeName);
    if (this.#groups.setPod(key, place)) this.#telling.pods.touch(key);
  }

  setNamespace({ metadata: { name = '', labels = {} } }: Namespace): void {
    this.#groups.setNamespace(name, labels);
  }

  removeNamespace({ metadata: { name = '' } }: Pick<Namespace, 'metadata'>): void {
    this.#groups.setNamespace(name, undefined);
  }

  /** What is otherwise than it was told last. */
  changes(): PolicyChanges {
    return {
      groups: this.#telling.groups.take((id) => this.#groupMembers(id)),
      destinations: this.#telling.destinations.take((id) => this.#destination(id)),
      policies: this.#telling.policies.take((id) => this.#rulesOf(id)),
      pods: this.#telling.pods.take((key) => this.#policedPod(key)),
    };
  }

  /** All of it, as if nothing had been told before. */
  all(): PolicyState {
    for (const each of Object.values(this.#telling)) each.restart();
    const { groups, destinations, policies, pods } = this.changes();
    return { groups: there(groups), destinations: there(destinations), policies: there(policies), pods: there(pods) };
  }

  #useAll({ key, targets, peers, ports }: ReadPolicy): void {
    this.#groups.use([targets, ...peers.values(), ...[...ports.values()].map(({ selection }) => selection)]);
    this.#use(targets).targetOf.add(key);
    for (const selection of peers.values()) {
      this.#use(selection).peerOf++;
      this.#telling.groups.touch(selection.id);
    }
    for (const port of ports.values()) {
      const { id, selection } = port;
      const uses = this.#use(selection).ports;
      const known = uses.get(id);
      if (known === undefined) uses.set(id, { port, users: 1 });
      else known.users++;
      this.#portGroups.set(id, selection.id);
      this.#telling.destinations.touch(id);
    }
  }

  #use({ id }: Selection): Uses {
    let uses = this.#uses.get(id);
    if (uses === undefined) this.#uses.set(id, (uses = { targetOf: new Set(), peerOf: 0, ports: new Map() }));
    return uses;
  }

  #releaseAll({ key, targets, peers, ports }: ReadPolicy): void {
    this.#uses.get(targets.id)?.targetOf.delete(key);
    for (const { id, selection } of ports.values()) {
      const uses = this.#uses.get(selection.id)?.ports;
      const known = uses?.get(id);
      if (known !== undefined && --known.users === 0) {
        uses?.delete(id);
        this.#portGroups.delete(id);
        this.#telling.destinations.touch(id);
      }
    }
    for (const { id } of peers.values()) {
      const uses = this.#uses.get(id);
      if (uses !== undefined) uses.peerOf--;
      this.#telling.groups.touch(id);
    }
    const released = [targets, ...peers.values(), ...[...ports.values()].map(({ selection }) => selection)];
    for (const { id } of released) {
      this.#groups.release(id);
      if (this.#groups.group(id) === undefined) this.#uses.delete(id);
    }
  }

  #groupChanged({ selection: { id } }: PodGroup): void {
    const uses = this.#uses.get(id);
    if (uses === undefined) return;
    if (uses.peerOf > 0) this.#telling.groups.touch(id);
    for (const port of uses.ports.keys()) this.#telling.destinations.touch(port);
    // Whoever came or went is touched as a pod by whoever told of it; a namespace's labels select no targets.
  }

  #touchPods(groupId: string): void {
    for (const { key, isLocal } of this.#groups.membersOf(groupId)) if (isLocal) this.#telling.pods.touch(key);
  }

  #groupMembers(id: string): ReadonlySet<string> | undefined {
    if ((this.#uses.get(id)?.peerOf ?? 0) === 0) return undefined;
    return new Set(this.#groups.membersOf(id).flatMap(({ addresses }) => addresses));
  }

  #destination(id: string): ReadonlySet<string> | undefined {
    const groupId = this.#portGroups.get(id);
    const wanted = groupId === undefined ? undefined : this.#uses.get(groupId)?.ports.get(id)?.port;
    if (groupId === undefined || wanted === undefined) return undefined;
    const places = this.#groups
      .membersOf(groupId)
      .flatMap(({ addresses, ports }) =>
        ports
          .filter(({ name, protocol }) => name === wanted.name && protocol === wanted.protocol)
          .flatMap(({ protocol, port }) => addresses.map((address) => `${address} ${protocol} ${port}`)),
      );
    return new Set(places);
  }

  #rulesOf(id: string): PolicyRules | undefined {
    const at = id.lastIndexOf('/');
    return this.#policies.get(id.slice(0, at))?.rules.get(id.slice(at + 1) as Direction);
  }

  /** A local pod that a policy bears on. */
  #policedPod(key: string): PolicedPod | undefined {
    const pod = this.#groups.pod(key);
    if (pod?.isLocal !== true) return undefined;
    const policies = [...this.#policiesOf(key)].toSorted();
    const idsOf = (direction: Direction): string[] =>
      policies.filter((one) => this.#policies.get(one)?.rules.has(direction)).map((one) => `${one}/${direction}`);
    const [ingress, egress] = [idsOf('ingress'), idsOf('egress')];
    if (ingress.length + egress.length === 0) return undefined;
    return {
      addresses: pod.addresses,
      ...(ingress.length === 0 ? {} : { ingress }),
      ...(egress.length === 0 ? {} : { egress }),
    };
  }

  #policiesOf(key: string): Set<string> {
    const found = new Set<string>();
    for (const { selection } of this.#groups.groupsOf(key))
      for (const policy of this.#uses.get(selection.id)?.targetOf ?? []) found.add(policy);
    return found;
  }
}

function there<T>(changes: ReadonlyMap<string, T | undefined>): Map<string, T> {
  const all = new Map<string, T>();
  for (const [id, value] of changes) if (value !== undefined) all.set(id, value);
  return all;
}

/** As its node knows it: the API has a static pod under the uid of its mirror, which says whose it is. */
function uidOf({ metadata: { uid = '', annotations } }: Pick<Pod, 'metadata'>): string {
  return annotations?.[wellknown.ANNOTATION_MIRROR] ?? uid;
}

function toldIn({ status }: Pod): string {
  return (status?.podIPs ?? []).map(({ ip }) => ip).join();
}

function withAddresses(pod: Pod, addresses: readonly string[]): Pod {
  return { ...pod, status: { ...pod.status, podIP: addresses[0] ?? '', podIPs: addresses.map((ip) => ({ ip })) } };
}
