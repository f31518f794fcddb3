import type { PodPlace } from './policed-pod.ts';
import { selects } from './selection.ts';
import type { Selectable, Selection } from './selection.ts';

/** Pods that one selection means, with whoever asked for it. */
export interface PodGroup {
  readonly selection: Selection;
  /** Keys of pods. */
  readonly members: Set<string>;
  /** How many asked for it. */
  users: number;
}

/** What changes in groups is told as it happens. */
export interface GroupListener {
  /** Members, or what they have, changed. */
  changed(group: PodGroup): void;
}

/** Pods by selection, kept while somebody asks for it: a pod that changes is compared with each selection once. */
export class PodGroups {
  readonly #listener: GroupListener;
  readonly #pods = new Map<string, PodPlace>();
  readonly #podsOf = new Map<string, Set<string>>();
  readonly #namespaces = new Map<string, Selectable['labels']>();
  readonly #groups = new Map<string, PodGroup>();
  readonly #groupsOf = new Map<string, Set<PodGroup>>();
  readonly #wide = new Set<PodGroup>();

  constructor(listener: GroupListener) {
    this.#listener = listener;
  }

  pod(key: string): PodPlace | undefined {
    return this.#pods.get(key);
  }

  group(id: string): PodGroup | undefined {
    return this.#groups.get(id);
  }

  /** The groups of one namespace's pods; those across namespaces are not among them. */
  groupsIn(namespace: string): Iterable<PodGroup> {
    return this.#groupsOf.get(namespace) ?? [];
  }

  /** The pods of a group. */
  membersOf(id: string): PodPlace[] {
    return [...(this.#groups.get(id)?.members ?? [])].flatMap((key) => this.#pods.get(key) ?? []);
  }

  /** Somebody asks for these pods; as often as it is asked for it is to be released. */
  use(selection: Selection): void {
    let group = this.#groups.get(selection.id);
    if (group === undefined) {
      group = { selection, members: new Set(), users: 0 };
      this.#groups.set(selection.id, group);
      const { namespace } = selection;
      if (namespace === undefined) this.#wide.add(group);
      else addTo(this.#groupsOf, namespace, group);
      const keys = namespace === undefined ? this.#pods.keys() : (this.#podsOf.get(namespace) ?? []);
      for (const key of keys) if (this.#isMember(group, this.#pods.get(key))) group.members.add(key);
    }
    group.users++;
  }

  release(id: string): void {
    const group = this.#groups.get(id);
    if (group === undefined || --group.users > 0) return;
    this.#groups.delete(id);
    this.#wide.delete(group);
    const { namespace } = group.selection;
    if (namespace !== undefined) removeFrom(this.#groupsOf, namespace, group);
  }

  /** The pod is like this now; undefined: it has no address, or is gone. Answers whether that is news. */
  setPod(key: string, pod: PodPlace | undefined): boolean {
    const before = this.#pods.get(key);
    if (before === pod || JSON.stringify(before) === JSON.stringify(pod)) return false;
    const namespace = (pod ?? before)?.namespace ?? '';
    if (pod === undefined) {
      this.#pods.delete(key);
      removeFrom(this.#podsOf, namespace, key);
    } else {
      this.#pods.set(key, pod);
      addTo(this.#podsOf, namespace, key);
    }
    for (const group of this.#groupsOf.get(namespace) ?? []) this.#look(group, key);
    for (const group of this.#wide) this.#look(group, key);
    return true;
  }

  /** The namespace has these labels; undefined: it is gone. */
  setNamespace(name: string, labels: Selectable['labels'] | undefined): void {
    if (JSON.stringify(this.#namespaces.get(name)) === JSON.stringify(labels)) return;
    if (labels === undefined) this.#namespaces.delete(name);
    else this.#namespaces.set(name, labels);
    for (const group of this.#wide)
      for (const key of this.#podsOf.get(name) ?? []) {
        const pod = this.#pods.get(key);
        if (group.members.has(key) !== this.#isMember(group, pod)) this.#look(group, key);
      }
  }

  #isMember({ selection }: PodGroup, pod: PodPlace | undefined): boolean {
    return pod !== undefined && selects(selection, pod, this.#namespaces.get(pod.namespace));
  }

  /** A pod that is or was one of the group, and changed, changes the group. */
  #look(group: PodGroup, key: string): void {
    const was = group.members.has(key);
    const is = this.#isMember(group, this.#pods.get(key));
    if (is) group.members.add(key);
    else group.members.delete(key);
    if (was || is) this.#listener.changed(group);
  }
}

function addTo<T>(all: Map<string, Set<T>>, key: string, member: T): void {
  let set = all.get(key);
  if (set === undefined) all.set(key, (set = new Set()));
  set.add(member);
}

function removeFrom<T>(all: Map<string, Set<T>>, key: string, member: T): void {
  const set = all.get(key);
  if (set?.delete(member) === true && set.size === 0) all.delete(key);
}
