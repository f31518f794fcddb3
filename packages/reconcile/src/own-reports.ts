import type { Clock } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';
import { cacheKey } from '@binnacle/client';
import { differsInStatusAlone, OwnWrites } from './own-writes.ts';
import { ReportPace } from './report-pace.ts';

/** What a controller tells in the status of its owners: when it is due, and what the cache does not show yet. */
export class OwnReports {
  readonly pace: ReportPace;
  readonly #writes: OwnWrites;

  constructor(clock: Clock, owners: { get(key: string): KubeObject | undefined }) {
    this.pace = new ReportPace(clock);
    this.#writes = new OwnWrites(clock, owners);
  }

  /** The owner as the server answered with it, after so long. */
  told(owner: KubeObject, ms: number): void {
    this.#writes.wrote(cacheKey(owner), owner);
    this.pace.told(ms);
  }

  /** Whether the cache shows what we told ourselves, and nothing that somebody else changed. To be asked once of each change. */
  isEcho(before: KubeObject, after: KubeObject): boolean {
    const isOwn = this.#writes.see(cacheKey(after), after);
    // A change that somebody else made in between may come before it, or together with it.
    return isOwn && differsInStatusAlone(before, after);
  }

  /** The owner is gone. */
  forget(key: string): void {
    this.pace.forget(key);
    this.#writes.forget(key);
  }
}
