import { Envelope } from '@binnacle/apiserver/encryption';
import type { KeyMeasures } from '@binnacle/apiserver/encryption';
import type { KeyServiceSettings } from '@binnacle/apiserver';
import { messageOf, sleep } from '@binnacle/base';
import type { Scope, Timer } from '@binnacle/base';
import type { World } from '../world.ts';
import { openKeyService } from './key-service.ts';
import type { OpenKeyService } from './key-service.ts';

/** How long after a good word, and after a bad one, a service is asked again (upstream's). */
const WELL_MS = 60_000;
const UNWELL_MS = 10_000;
/** Before the first good word: nobody can read a Secret until then. */
const FIRST_MS = 1000;

interface Followed {
  readonly envelope: Envelope;
  readonly service: OpenKeyService;
  timer: Timer | undefined;
  /** Why it is not well; undefined: it is, as far as is known. */
  problem: unknown;
}

/** The key services of one configuration: each is asked now and then how it is, until the configuration ends. */
export class KeyServices {
  readonly #world: Pick<World, 'clock' | 'random' | 'log'>;
  readonly #measures: KeyMeasures | undefined;
  readonly #followed: Followed[] = [];
  #closed = false;

  /** `measures` absent: nobody keeps score. */
  constructor(world: Pick<World, 'clock' | 'random' | 'log'>, measures?: KeyMeasures) {
    this.#world = world;
    this.#measures = measures;
  }

  /** What seals with one. */
  seal = (settings: KeyServiceSettings): Envelope => {
    const measures = this.#measures;
    const service = openKeyService(settings, measures);
    const { clock, random } = this.#world;
    const envelope = new Envelope(settings.name, service, {
      clock,
      random,
      ...(measures === undefined ? {} : { measures }),
    });
    this.#followed.push({ envelope, service, timer: undefined, problem: undefined });
    return envelope;
  };

  /** Resolves when each has given its first good word: without it what it sealed cannot be read. Rejects when the scope ends. */
  async ready(scope: Scope): Promise<void> {
    await Promise.all(
      this.#followed.map(async (one) => {
        // A key service that is away tells nobody when it comes.
        while (!(await this.#ask(one))) await sleep(this.#world.clock, FIRST_MS, scope.signal);
        this.#again(one, WELL_MS);
      }),
    );
  }

  close(): void {
    this.#closed = true;
    for (const { timer, service } of this.#followed) {
      timer?.cancel();
      service.close();
    }
  }

  /** One check for each, in the order of the configuration: as it was when it was asked last. */
  checks(): readonly (() => void)[] {
    return this.#followed.map((one) => () => {
      if (one.problem !== undefined) throw one.problem;
    });
  }

  async #ask(one: Followed): Promise<boolean> {
    const { envelope } = one;
    try {
      await envelope.probe();
      one.problem = undefined;
      return true;
    } catch (error) {
      one.problem = error;
      this.#world.log.warn('a key service is not well', { name: envelope.name, reason: messageOf(error) });
      return false;
    }
  }

  #again(one: Followed, ms: number): void {
    if (this.#closed) return;
    one.timer = this.#world.clock.after(ms, () => {
      // Never rejects: see above.
      void this.#ask(one).then((well) => this.#again(one, well ? WELL_MS : UNWELL_MS));
    });
  }
}
