import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { linesText } from '../machine/run-tool.ts';
import type { RunTool } from '../machine/run-tool.ts';
import type { NftSession } from './nft-session.ts';
import type { Batch } from './table-content.ts';

/** How batches reach `nft`. */
export interface BatchOptions {
  readonly run: RunTool;
  readonly log: Logger;
  /** For small batches. Absent: a process for each. */
  readonly session?: NftSession;
}

/** Gives batches to the machine's `nft`. */
export class Batches {
  readonly #run: RunTool;
  readonly #log: Logger;
  readonly #session: NftSession | undefined;
  /** Lines that delete what nothing points at any more; an older kernel may refuse for a moment. */
  #stale: readonly string[] = [];

  constructor({ run, log, session }: BatchOptions) {
    this.#run = run;
    this.#log = log;
    this.#session = session;
  }

  /** The first batch, or one that leaves nothing of those before it. */
  async replace(lines: readonly string[]): Promise<void> {
    await this.#apply(lines);
    this.#stale = [];
  }

  /** All of the lines or none; what is stale goes now, or with a later change. Throws NetworkError. */
  async change({ lines, stale }: Batch): Promise<void> {
    if (lines.length > 0) await this.#applyFew(lines);
    const again = new Set(lines.filter((line) => line.startsWith('add ')).map(namedIn));
    await this.#sweep([...this.#stale.filter((line) => !again.has(namedIn(line))), ...stale]);
  }

  /** What was not taken there, or by a process that died over it, is told to another one; what holds already fails there, and all are made anew. */
  async #applyFew(lines: readonly string[]): Promise<void> {
    if ((await this.#session?.apply(lines)) !== true) await this.#apply(lines);
  }

  async #apply(lines: readonly string[]): Promise<void> {
    await this.#run(['nft', '-f', '-'], linesText(lines));
  }

  /** A kernel before 6.2 notices late that a chain is not pointed at any more: then it is tried with the next change. */
  async #sweep(stale: readonly string[]): Promise<void> {
    this.#stale = stale;
    if (stale.length === 0) return;
    try {
      await this.#applyFew(stale);
      this.#stale = [];
    } catch (error) {
      this.#log.info(2, 'what is not used any more goes later', { reason: messageOf(error) });
    }
  }
}

/** What a line adds or deletes: `chain ip binnacle service-…`. */
function namedIn(line: string): string {
  return line.split(' ', 5).slice(1).join(' ');
}
