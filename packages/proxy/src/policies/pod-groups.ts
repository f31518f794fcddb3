import type { PodPlace } from './policed-pod.ts';
import { SelectionIndex } from './selection-index.ts';
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

/** Pods by selection, kept while somebody asks for it: a pod that changes is compared with those that ask for its labels. */
export class PodGroups {
  readonly #listener: GroupListener;
  readonly #pods = new Map<string, PodPlace>();
  readonly #podsOf = new Map<string, Set<string>>();
  readonly #namespaces = new Map<string, Selectable['labels']>();
  readonly #groups = new Map<string, PodGroup>();
  readonly #index = new SelectionIndex<PodGroup>();

  constructor(listener: GroupListener) {
    this.#listener = listener;
  }

  pod(key: string): PodPlace | undefined {
    return this.#pods.get(key);
  }

  group(id: string): PodGroup | undefined {
    return this.#groups.get(id);
  }

  /** The groups that a pod is in. */
  groupsOf(key: string): PodGroup[] {
    const pod = this.#pods.get(key);
    if (pod === undefined) return [];
    return [...this.#around(pod)].filter(({ members }) => members.has(key));
  }

  /** The pods of a group. */
  membersOf(id: string): PodPlace[] {
    return [...(this.#groups.get(id)?.members ?? [])].flatMap((key) => this.#pods.get(key) ?? []);
  }

  /** Somebody asks for these pods; as often as it is asked for them they are to be released. */
  use(selections: readonly Selection[]): void {
    const added = new SelectionIndex<PodGroup>();
    const namespaces = new Set<string | undefined>();
    for (const selection of selections) {
      let group = this.#groups.get(selection.id);
      if (group === undefined) {
        group = { selection, members: new Set(), users: 0 };
        this.#groups.set(selection.id, group);
        this.#index.add(group);
        added.add(group);
        namespaces.add(selection.namespace);
      }
      group.users++;
    }
    // All of a policy's at once: each pod is looked at once.
    for (const key of this.#podsIn(namespaces)) {
      const pod = this.#pods.get(key);
      if (pod === undefined) continue;
      for (const group of added.around(pod, this.#namespaces.get(pod.namespace)))
        if (this.#isMember(group, pod)) group.members.add(key);
    }
  }

  /** Of all where undefined is among them. */
  *#podsIn(namespaces: ReadonlySet<string | undefined>): Iterable<string> {
    if (namespaces.has(undefined)) yield* this.#pods.keys();
    else for (const namespace of namespaces) yield* this.#podsOf.get(namespace ?? '') ?? [];
  }

  release(id: string): void {
    const group = this.#groups.get(id);
    if (group === undefined || --group.users > 0) return;
    this.#groups.delete(id);
    this.#index.delete(group);
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
    for (const group of this.#around(before, pod)) this.#look(group, key);
    return true;
  }

  /** The namespace has these labels; undefined: it is gone. */
  setNamespace(name: string, labels: Selectable['labels'] | undefined): void {
    if (JSON.stringify(this.#namespaces.get(name)) === JSON.stringify(labels)) return;
    const keys = [...(this.#podsOf.get(name) ?? [])];
    const before = new Map(keys.map((key) => [key, this.#around(this.#pods.get(key))]));
    if (labels === undefined) this.#namespaces.delete(name);
    else this.#namespaces.set(name, labels);
    for (const [key, groups] of before) {
      const pod = this.#pods.get(key);
      for (const group of new Set([...groups, ...this.#around(pod)]))
        if (group.members.has(key) !== this.#isMember(group, pod)) this.#look(group, key);
    }
  }

  /** The groups that may have had a pod, or may have it. */
  #around(...pods: readonly (PodPlace | undefined)[]): Set<PodGroup> {
    const found = new Set<PodGroup>();
    for (const pod of pods) if (pod !== undefined) this.#index.around(pod, this.#namespaces.get(pod.namespace), found);
    return found;
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
