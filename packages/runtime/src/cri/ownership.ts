import { RuntimeNotFoundError } from '../errors.ts';
import type { Identities } from './identities.ts';
import type { StringMap } from './messages.ts';
import { POD_UID_LABEL } from './translate.ts';

/** The label that all of ours carries; absent: the runtime is ours alone. */
export type OwnershipLabel = { readonly key: string; readonly value: string } | undefined;

/** What in a runtime is ours: nothing else is listed or touched. */
export class Ownership {
  /** Put on everything made. */
  readonly labels: StringMap;
  readonly #label: OwnershipLabel;
  readonly #identities: Identities;
  readonly #list: () => Promise<readonly { readonly id: string }[]>;

  /** `list`: all that carries our label; what it finds is known by then. */
  constructor(label: OwnershipLabel, identities: Identities, list: () => Promise<readonly { readonly id: string }[]>) {
    this.labels = label === undefined ? {} : { [label.key]: label.value };
    this.#label = label;
    this.#identities = identities;
    this.#list = list;
  }

  /** For lists: ours, of one pod or of all. */
  selector(podUid: string | undefined): StringMap {
    return podUid === undefined ? this.labels : { ...this.labels, [POD_UID_LABEL]: podUid };
  }

  carriedBy(labels: StringMap): boolean {
    return this.#label === undefined || labels[this.#label.key] === this.#label.value;
  }

  /** An id that we neither made nor listed is looked up by our label. Throws RuntimeNotFoundError for a stranger's. */
  async demand(id: string): Promise<void> {
    if (this.#label === undefined || this.#identities.of(id) !== undefined) return;
    await this.learn();
    if (this.#identities.of(id) === undefined) throw new RuntimeNotFoundError('object', id);
  }

  /** Lists everything; what was known before and is gone (its deletion was missed) is forgotten. */
  async learn(): Promise<void> {
    const before = this.#identities.ids();
    const there = new Set((await this.#list()).map((one) => one.id));
    for (const id of before) if (!there.has(id)) this.#identities.forget(id);
  }
}
