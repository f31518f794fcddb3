import { mayDo } from './rules.ts';
import type { Rule, Wish } from './rules.ts';

/** How rights are asked for. Each rejects where the server does not say. */
export interface RightsWorld {
  /** A SelfSubjectRulesReview. */
  rules(namespace: string): Promise<{ readonly rules: readonly Rule[]; readonly isIncomplete: boolean }>;
  /** A SelfSubjectAccessReview. */
  access(namespace: string, wish: Wish): Promise<boolean>;
}

const WISHES_MAX = 500;

/**
 * What one viewer may do in one namespace, as far as it is known by now. Servers that authorize by more than roles (nodes'
 * rights, webhooks) do not list all there is: there each wish that no rule allows is asked for by itself.
 */
export class KnownRights {
  readonly #namespace: string;
  readonly #world: RightsWorld;
  readonly #answers = new Map<string, boolean>();
  readonly #listeners = new Set<() => void>();
  #rules: readonly Rule[] = [];
  /** What is answered where no rule allows it: everything is offered until the rules are there, and where they cannot be had. */
  #otherwise: 'yes' | 'no' | 'ask' = 'yes';
  /** Grows with each answer. */
  #version = 0;

  constructor(namespace: string, world: RightsWorld) {
    this.#namespace = namespace;
    this.#world = world;
    world.rules(namespace).then(
      ({ rules, isIncomplete }) => {
        this.#rules = rules;
        this.#otherwise = isIncomplete ? 'ask' : 'no';
        this.#tell();
      },
      // The server refuses by itself what is not allowed.
      () => undefined,
    );
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  version = (): number => this.#version;

  /** What is not known yet is asked for, and not offered meanwhile. */
  may(wish: Wish): boolean {
    if (mayDo(this.#rules, wish)) return true;
    if (this.#otherwise !== 'ask') return this.#otherwise === 'yes';
    const key = JSON.stringify([wish.verb, wish.group, wish.resource, wish.subresource, wish.name]);
    const answer = this.#answers.get(key);
    if (answer === undefined) this.#ask(key, wish);
    return answer ?? false;
  }

  #ask(key: string, wish: Wish): void {
    if (this.#answers.size >= WISHES_MAX) this.#answers.clear();
    // Asked once, whatever comes of it.
    this.#answers.set(key, false);
    const take = (answer: boolean): void => {
      this.#answers.set(key, answer);
      if (answer) this.#tell();
    };
    this.#world.access(this.#namespace, wish).then(take, () => take(true));
  }

  #tell(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}
