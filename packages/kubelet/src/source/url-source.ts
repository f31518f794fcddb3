import { type Clock, type HttpCaller, type Logger, type Timer, messageOf } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';
import type { PodSource, PodSourceHandler } from '../ports.ts';
import { ManifestError } from '../errors.ts';
import { type ManifestCall, fetchManifest, shownUrl } from './fetch-manifest.ts';
import { readManifests } from './manifest.ts';

/** Where static pods are asked for. */
export interface UrlSourceOptions extends ManifestCall {
  /** From one answer to the next question, in milliseconds. */
  readonly periodMs: number;
  readonly http: HttpCaller;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Static pods from a server: one pod, or a PodList. What is no more in its answer ends; an answer of no bytes ends all of
 * them. A server that cannot be asked, or whose answer cannot be used, is reported, and what there was goes on. Servers tell
 * of nothing by themselves: they are asked at times, as upstream does.
 */
export function createUrlSource(options: UrlSourceOptions): PodSource {
  return {
    kind: 'file',
    follow(nodeName, handler) {
      const place = new Place(options, nodeName, handler);
      place.ask();
      return () => place.stop();
    },
  };
}

class Place {
  readonly #options: UrlSourceOptions;
  readonly #nodeName: string;
  readonly #handler: PodSourceHandler;
  readonly #shown: string;
  /** By UID, which tells one content from another. */
  #pods: ReadonlyMap<string, Pod> = new Map();
  #text: string | undefined;
  #refused: string | undefined;
  #isReady = false;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(options: UrlSourceOptions, nodeName: string, handler: PodSourceHandler) {
    this.#options = options;
    this.#nodeName = nodeName;
    this.#handler = handler;
    this.#shown = shownUrl(options.url);
  }

  ask(): void {
    // Never rejects: what fails is told.
    void this.#look().finally(() => {
      if (this.#stopped) return;
      const { clock, periodMs } = this.#options;
      this.#timer = clock.after(periodMs, () => this.ask(), { background: true });
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  async #look(): Promise<void> {
    try {
      const text = await fetchManifest(this.#options, this.#options);
      if (this.#stopped) return;
      if (text !== this.#text) this.#take(text);
      this.#text = text;
      if (text === '') throw new ManifestError(this.#shown, 'answered nothing');
      this.#accept();
    } catch (error) {
      if (!this.#stopped) this.#refuse(error);
    }
  }

  #take(text: string): void {
    const { clock } = this.#options;
    const source = { file: this.#shown, text, nodeName: this.#nodeName, now: clock.now(), source: 'http' as const };
    const pods = new Map((text === '' ? [] : readManifests(source)).map((pod) => [pod.metadata.uid ?? '', pod]));
    const before = this.#pods;
    this.#pods = pods;
    for (const [uid, pod] of before) if (!pods.has(uid)) this.#handler.remove(pod);
    for (const [uid, pod] of pods) if (!before.has(uid)) this.#handler.upsert(pod);
    if (!this.#isReady) this.#handler.ready();
    this.#isReady = true;
  }

  #refuse(error: unknown): void {
    const reason = messageOf(error);
    if (this.#refused === reason) return;
    this.#refused = reason;
    this.#options.log.warn('Failed to read pods from URL', { url: this.#shown, reason });
    this.#handler.refused?.(this.#shown, reason);
  }

  #accept(): void {
    if (this.#refused === undefined) return;
    this.#refused = undefined;
    this.#options.log.info(0, 'Successfully read pods from URL', { url: this.#shown });
    this.#handler.refused?.(this.#shown, undefined);
  }
}
