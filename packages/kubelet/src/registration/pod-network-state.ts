import type { Clock } from '@binnacle/base';
import type { Runtime, RuntimeStatus } from '@binnacle/runtime';

/** As often as upstream's kubelet asks the runtime how it is. */
const READY_MS = 5_000;
/** However many pods wait for it, the runtime is asked so often. */
const UNREADY_MS = 500;

/** Why pods cannot be joined to the network, in upstream's words; undefined: they can. */
export function networkTrouble({ network }: Pick<RuntimeStatus, 'network'>): string | undefined {
  if (network.ready) return undefined;
  return `container runtime network not ready: NetworkReady=false reason:${network.reason} message:${network.message}`;
}

/**
 * Whether the runtime says that it can join pods to the network. A pod that is begun before would be left half made, and
 * could not even be taken away until there is a network.
 */
export class PodNetworkState {
  readonly #runtime: Pick<Runtime, 'status'>;
  readonly #clock: Clock;
  #last: Promise<string | undefined> = Promise.resolve(undefined);
  #goodUntil = -Infinity;

  constructor(runtime: Pick<Runtime, 'status'>, clock: Clock) {
    this.#runtime = runtime;
    this.#clock = clock;
  }

  /** What is wrong, as it was a moment ago; undefined: nothing. Never rejects. */
  trouble(): Promise<string | undefined> {
    if (this.#clock.monotonic() < this.#goodUntil) return this.#last;
    // Whoever asks meanwhile hears the same.
    this.#goodUntil = Infinity;
    return (this.#last = this.#ask());
  }

  async #ask(): Promise<string | undefined> {
    let trouble: string | undefined;
    try {
      trouble = networkTrouble(await this.#runtime.status());
    } catch {
      // Whoever makes the sandbox is told what is wrong.
    }
    this.#goodUntil = this.#clock.monotonic() + (trouble === undefined ? READY_MS : UNREADY_MS);
    return trouble;
  }
}
