import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { messageOf, SerialQueue } from '@binnacle/base';
import type { Clock, Logger, Timer } from '@binnacle/base';
import { NetworkError } from '../errors.ts';

/** What a session works with. */
export interface NftSessionOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Words before `nft`: in another network namespace. */
  readonly prefix?: readonly string[];
}

/** Longer batches are for a process of their own: what one line may be is bounded. */
const BATCH_LENGTH_MAX = 64 * 1024;
/** `nft` remembers every line that it was told: after so many letters another one takes its place. */
const TOLD_LENGTH_MAX = 1024 * 1024;
/** What it says about one batch: the whole line and what is wrong with it, some times. */
const SAID_LENGTH_MAX = 8 * BATCH_LENGTH_MAX;
const COMPLAINT_LENGTH_MAX = 2000;
const ANSWER_MS_MAX = 60_000;
const IDLE_MS = 10_000;
/** Without a home it writes no history of its lines. */
const NFT = ['env', 'HOME=/dev/null', 'nft', '-i'] as const;
/** What a line of `nft -i` may be made of; `#` would hide what follows it. */
const ONE_LINE = /^[ -"$-~]*$/;

/**
 * Small batches through one `nft -i` that stays open: whoever closes a netlink socket waits until the kernel has freed
 * what was deleted, some 10 ms after the rules hold, and here nobody closes it. It ends when it is idle, with its
 * input, and so with us; what it does not take is for a process per batch.
 */
export class NftSession {
  readonly #options: NftSessionOptions;
  #open: OpenNft | undefined;
  readonly #batches = new SerialQueue();
  #idle: Timer | undefined;
  /** This machine's `nft` has no interactive mode, or not as we know it. */
  #isUseless = false;

  constructor(options: NftSessionOptions) {
    this.#options = options;
  }

  /** All of the lines or none. False: they were not taken, and whether they hold is not known. Throws NetworkError with what is wrong with them. */
  apply(lines: readonly string[]): Promise<boolean> {
    return this.#batches.run(() => this.#apply(lines.join('; ')));
  }

  /** Ends it, after what is under way. Another batch begins anew. */
  async close(): Promise<void> {
    await this.#batches.settled();
    await this.#end();
  }

  async #apply(line: string): Promise<boolean> {
    if (this.#isUseless || line.length > BATCH_LENGTH_MAX || !ONE_LINE.test(line)) return false;
    this.#idle?.cancel();
    if (this.#open === undefined || this.#open.isOver) this.#open = new OpenNft(this.#options);
    const nft = this.#open;
    const complaint = await nft.tell(line);
    if (complaint === undefined || nft.told > TOLD_LENGTH_MAX) this.#open = undefined;
    if (complaint === undefined) {
      this.#isUseless = !nft.hasAnswered;
      this.#options.log.info(2, 'nft did not stay open', { reason: nft.reason });
      return false;
    }
    if (nft.told > TOLD_LENGTH_MAX) nft.end();
    // Never rejects: it waits for an end.
    else this.#idle = this.#options.clock.after(IDLE_MS, () => void this.#end(), { background: true });
    // Warnings are none of it.
    if (complaint.includes('Error')) throw new NetworkError(`nft: ${complaint.slice(0, COMPLAINT_LENGTH_MAX).trim()}`);
    return true;
  }

  async #end(): Promise<void> {
    this.#idle?.cancel();
    const nft = this.#open;
    this.#open = undefined;
    nft?.end();
    await nft?.ended;
  }
}

/** One process. It reads a batch per line; a word that is no command makes it say where it is. */
class OpenNft {
  readonly ended: Promise<void>;
  /** Letters so far. */
  told = 0;
  hasAnswered = false;
  /** Why it ended. */
  reason = '';
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  #said = '';
  #mark = '';
  #turn = 0;
  #hear: (complaint: string | undefined) => void = () => undefined;

  constructor({ prefix = [], clock }: NftSessionOptions) {
    this.#clock = clock;
    const [program, ...args] = [...prefix, ...NFT];
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'] });
    this.#child = child;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    child.stdin.on('error', (error) => (this.reason ||= messageOf(error)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.#listen(text));
    const over = (reason: string): void => {
      this.reason ||= this.#said.slice(0, COMPLAINT_LENGTH_MAX).trim() || reason;
      this.#hear(undefined);
      resolve();
    };
    child.once('error', (error) => over(messageOf(error)));
    child.once('close', (code) => over(`ended with ${code}`));
  }

  get isOver(): boolean {
    return this.reason !== '';
  }

  /** What it complains of, or nothing; undefined when it is gone. */
  async tell(line: string): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    if (this.isOver) return undefined;
    this.#hear = resolve;
    this.#mark = `binnacle-${++this.#turn}`;
    this.told += line.length;
    const late = this.#clock.after(ANSWER_MS_MAX, () => this.#kill('no answer'), { background: true });
    this.#child.stdin?.write(`${line}\n${this.#mark}\n`);
    const complaint = await promise;
    late.cancel();
    return complaint;
  }

  end(): void {
    this.#child.stdin?.end();
  }

  #listen(text: string): void {
    this.#said += text;
    const at = this.#said.indexOf(`\n${this.#mark}\n`);
    if (at >= 0) {
      // The line before is what it says of a word that is no command; below it a sign points at it.
      const complaint = this.#said.slice(0, Math.max(0, this.#said.lastIndexOf('\n', at - 1))).replace(/^ *\^\n?/, '');
      this.#said = this.#said.slice(at + this.#mark.length + 2);
      this.hasAnswered = true;
      this.#hear(complaint);
    } else if (this.#said.length > SAID_LENGTH_MAX) this.#kill('too much was said');
  }

  #kill(reason: string): void {
    this.reason ||= reason;
    this.#child.kill('SIGKILL');
  }
}
