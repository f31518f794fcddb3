import { readFile } from 'node:fs/promises';
import type { ReloadMeasures } from '@binnacle/apiserver';
import type { Scope } from '@binnacle/base';
import type { World } from '../world.ts';
import { followFile } from './follow-file.ts';

const FIRST_MS = 200;
/** What could not be taken up may be in a minute (upstream looks as often). */
const AGAIN_MS = 60_000;

/** A configuration in a file, as it was read at the start, and how a later text of it is read. */
export interface ConfigFile<T> {
  readonly path: string;
  /** What counts from the start. */
  readonly text: string;
  /** Throws, or rejects with, what is wrong with a text. */
  readonly read: (text: string) => T | Promise<T>;
}

/** Who takes up what a file says by now. */
export interface ConfigTaker<T> {
  readonly world: World;
  /** What is followed is called so in the log: `encryption configuration`. */
  readonly name: string;
  readonly measures: ReloadMeasures;
  /**
   * Rejects where it cannot be taken up yet: it is tried again. `signal`: a later text came, or the end. Answers false
   * where nothing is different.
   */
  readonly take: (config: T, signal: AbortSignal) => Promise<boolean> | boolean;
}

/**
 * Follows a file until the scope ends. What cannot be followed leaves what held before, is told and counted; a text that
 * comes while another is being taken up overtakes it.
 */
export function followConfig<T>(file: ConfigFile<T>, scope: Scope, taker: ConfigTaker<T>): void {
  const follower = new ConfigFollower(file, scope, taker);
  taker.measures.applied(file.text);
  followFile(file.path, scope, { world: taker.world, onChange: () => follower.changed() });
  // It may have changed since it was read, and be about to: an editor writes in several steps.
  const timer = taker.world.clock.after(FIRST_MS, () => follower.changed(), { background: true });
  scope.defer(() => timer.cancel());
}

class ConfigFollower<T> {
  readonly #file: ConfigFile<T>;
  readonly #scope: Scope;
  readonly #taker: ConfigTaker<T>;
  /** The last text that was taken up, or that can never be. */
  #known: string;
  #coming: AbortController | undefined;

  constructor(file: ConfigFile<T>, scope: Scope, taker: ConfigTaker<T>) {
    this.#file = file;
    this.#scope = scope;
    this.#taker = taker;
    this.#known = file.text;
    scope.defer(() => this.#coming?.abort());
  }

  changed(): void {
    this.#coming?.abort();
    const coming = new AbortController();
    this.#coming = coming;
    // Never rejects: see below.
    void this.#attempt(coming.signal);
  }

  async #attempt(signal: AbortSignal): Promise<void> {
    const { name, measures, take, world } = this.#taker;
    const { path } = this.#file;
    let isRead = false;
    try {
      const text = await readFile(path, 'utf8');
      if (signal.aborted || text === this.#known) return;
      const config = await this.#read(text);
      isRead = true;
      const isOther = await take(config, signal);
      if (signal.aborted) return this.#overtaken();
      this.#known = text;
      if (!isOther) return;
      measures.succeeded(text);
      world.log.info(0, `the ${name} was read anew`, { path });
    } catch (error) {
      if (signal.aborted || this.#scope.closing) return isRead ? this.#overtaken() : undefined;
      measures.failed();
      world.log.error(error, 'what held before goes on', { path });
      if (isRead) this.#later(signal);
    }
  }

  async #read(text: string): Promise<T> {
    try {
      return await this.#file.read(text);
    } catch (error) {
      // It never will be one.
      this.#known = text;
      throw error;
    }
  }

  #later(signal: AbortSignal): void {
    const timer = this.#taker.world.clock.after(AGAIN_MS, () => this.changed(), { background: true });
    signal.addEventListener('abort', () => timer.cancel(), { once: true });
  }

  #overtaken(): void {
    if (this.#scope.closing) return;
    this.#taker.world.log.info(0, `a later ${this.#taker.name} counts`, { path: this.#file.path });
  }
}
