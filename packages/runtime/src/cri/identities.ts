/** Whose a sandbox or container is. A sandbox is its own `sandboxId`. */
export interface Identity {
  readonly podUid: string;
  readonly sandboxId: string;
}

/**
 * Which pod each id belongs to: CRI's status and containerd's events do not say. Learnt from what is created and
 * listed, forgotten on removal; so its size is that of the node's containers.
 */
export class Identities {
  readonly #known = new Map<string, Identity>();
  readonly #listeners = new Set<(id: string) => void>();

  learn(id: string, identity: Identity): void {
    if (this.#known.has(id)) return;
    this.#known.set(id, identity);
    for (const listener of this.#listeners) listener(id);
  }

  of(id: string): Identity | undefined {
    return this.#known.get(id);
  }

  forget(id: string): void {
    this.#known.delete(id);
  }

  /** Forgets a sandbox and its containers. */
  forgetSandbox(sandboxId: string): void {
    for (const [id, identity] of this.#known) if (identity.sandboxId === sandboxId) this.#known.delete(id);
  }

  /** All ids known now. */
  ids(): string[] {
    return [...this.#known.keys()];
  }

  onLearn(listener: (id: string) => void): { stop(): void } {
    this.#listeners.add(listener);
    return {
      stop: (): void => {
        this.#listeners.delete(listener);
      },
    };
  }
}
