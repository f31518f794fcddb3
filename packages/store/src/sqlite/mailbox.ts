import type { CommitMessage, ToWorker } from './messages.ts';
import type { Packed, Room } from './packing.ts';
import { buffersOf, STRIDE } from './packing.ts';

/**
 * The way of batches to the store's thread, and of the news that they are durable back: memory that both threads see.
 * Each batch is packed into one of a few slots, told by a letter and a ring of the bell, for which the thread waits;
 * nothing is allocated, cloned or handed to an event loop. Everything else (questions, answers, failures, batches that
 * found no slot) goes by messages; a letter says how many of them were sent before it, so that the order is that of sending.
 */
const SLOTS = 4;
const SLOT_RECORDS = 128;
const SLOT_BYTES = 128 * 1024;
const NUMBERS_BYTES = SLOT_RECORDS * STRIDE * Float64Array.BYTES_PER_ELEMENT;

/** Words that both threads look at; each is written by one of them alone. They count on, and over from 2³¹ to −2³¹. */
const WORD = {
  /** Rung after anything was sent. */
  bell: 0,
  /** Letters written. */
  sent: 1,
  /** Letters of which nothing is needed any more. */
  taken: 2,
  /** The last durable batch. */
  durable: 3,
  /** Whether the thread is back in its event loop, where it hears messages alone. */
  inLoop: 4,
} as const;
const FIRST_LETTER = 8;
/** Of a letter: its slot, its batch, its records, their bytes, and messages sent before it. */
const LETTER = { slot: 0, batch: 1, count: 2, used: 3, messages: 4 } as const;
const LETTER_WORDS = 5;
const HEAD_BYTES = 256;

/** Rouses a thread that is back in its event loop; says nothing by itself. */
export const WAKE = 0;
export type Posted = ToWorker | typeof WAKE;

export function createMailbox(): SharedArrayBuffer {
  const shared = new SharedArrayBuffer(HEAD_BYTES + SLOTS * (NUMBERS_BYTES + SLOT_BYTES));
  wordsOf(shared)[WORD.inLoop] = 1;
  return shared;
}

function wordsOf(shared: SharedArrayBuffer): Int32Array<SharedArrayBuffer> {
  return new Int32Array(shared, 0, HEAD_BYTES / Int32Array.BYTES_PER_ELEMENT);
}

function roomsOf(shared: SharedArrayBuffer): readonly Room[] {
  return Array.from({ length: SLOTS }, (_, slot) => {
    const at = HEAD_BYTES + slot * (NUMBERS_BYTES + SLOT_BYTES);
    return {
      numbers: new Float64Array(shared, at, SLOT_RECORDS * STRIDE),
      bytes: Buffer.from(shared, at + NUMBERS_BYTES, SLOT_BYTES),
    };
  });
}

/** Where the letter with this number is; there are as many as slots, and so none is written over before it is taken. */
function letterAt(number: number): number {
  return FIRST_LETTER + (number & (SLOTS - 1)) * LETTER_WORDS;
}

/** The main thread's end. */
export class Outbox {
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #rooms: readonly Room[];
  readonly #post: (message: Posted, transfer?: ArrayBuffer[]) => void;
  /** Slots of letters that are not taken yet, oldest first. */
  readonly #away: number[] = [];
  #sent = 0;
  #taken = 0;
  #messages = 0;

  constructor(shared: SharedArrayBuffer, post: (message: Posted, transfer?: ArrayBuffer[]) => void) {
    this.#words = wordsOf(shared);
    this.#rooms = roomsOf(shared);
    this.#post = post;
  }

  /** A slot in which nobody else writes or reads until it is sent; undefined where all are under way. */
  room(): Room | undefined {
    const taken = Atomics.load(this.#words, WORD.taken);
    for (; this.#taken !== taken; this.#taken = (this.#taken + 1) | 0) this.#away.shift();
    // The first that is free: few writers use the same few pages again and again.
    return this.#rooms.find((_, slot) => !this.#away.includes(slot));
  }

  send(message: ToWorker): void {
    const slot = 'batch' in message ? this.#slotOf(message.packed) : -1;
    if ('batch' in message && slot >= 0) this.#write(message, slot);
    else this.#postMessage(message);
    const words = this.#words;
    Atomics.add(words, WORD.bell, 1);
    Atomics.notify(words, WORD.bell);
    if (slot >= 0 && Atomics.load(words, WORD.inLoop) === 1) this.#post(WAKE);
  }

  /** The number of the last batch that is durable. */
  get durable(): number {
    return Atomics.load(this.#words, WORD.durable);
  }

  /** Resolves when another batch than that is durable; undefined: one is already. */
  moreDurable(than: number): Promise<unknown> | undefined {
    const waiting = Atomics.waitAsync(this.#words, WORD.durable, than);
    return waiting.async ? waiting.value : undefined;
  }

  /** Lets go who waits for a thread that answers no more. */
  release(): void {
    Atomics.notify(this.#words, WORD.durable);
  }

  #slotOf(packed: Packed): number {
    return this.#rooms.findIndex((room) => room.numbers === packed.numbers);
  }

  #write({ batch, packed }: CommitMessage, slot: number): void {
    const words = this.#words;
    const at = letterAt(this.#sent);
    words[at + LETTER.slot] = slot;
    words[at + LETTER.batch] = batch;
    words[at + LETTER.count] = packed.count;
    words[at + LETTER.used] = packed.bytes.byteLength;
    words[at + LETTER.messages] = this.#messages;
    this.#away.push(slot);
    this.#sent = (this.#sent + 1) | 0;
    Atomics.store(words, WORD.sent, this.#sent);
  }

  #postMessage(message: ToWorker): void {
    this.#messages = (this.#messages + 1) | 0;
    if ('batch' in message) this.#post(message, buffersOf(message.packed));
    else this.#post(message);
  }
}

/** The store's thread's end. */
export class Inbox {
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #rooms: readonly Room[];
  readonly #receive: () => Posted | undefined;
  /** Came by message, and what was sent before it has to come first. */
  #held: ToWorker | undefined;
  #read = 0;
  #messages = 0;
  #bell = 0;

  constructor(shared: SharedArrayBuffer, receive: () => Posted | undefined) {
    this.#words = wordsOf(shared);
    this.#rooms = roomsOf(shared);
    this.#receive = receive;
  }

  /** A message that came through the event loop. */
  hold(message: Posted): void {
    if (message !== WAKE) this.#held = message;
  }

  /** What was sent next; with this the one before is done with, its slot may be used again. */
  next(): ToWorker | undefined {
    const words = this.#words;
    Atomics.store(words, WORD.taken, this.#read);
    this.#bell = Atomics.load(words, WORD.bell);
    for (;;) {
      // Looked at after the message was received: a letter sent before it can be seen by then.
      const at = letterAt(this.#read);
      if (Atomics.load(words, WORD.sent) !== this.#read && words[at + LETTER.messages] === this.#messages) {
        this.#read = (this.#read + 1) | 0;
        return this.#open(at);
      }
      const message = this.#held ?? this.#receiveMessage();
      if (message === undefined) return undefined;
      if (this.#held !== undefined) {
        this.#held = undefined;
        this.#messages = (this.#messages + 1) | 0;
        return message;
      }
      this.#held = message;
    }
  }

  /** Whether the bell was rung since `next` found nothing, within so many milliseconds. */
  wait(ms: number): boolean {
    return Atomics.wait(this.#words, WORD.bell, this.#bell, ms) !== 'timed-out';
  }

  /** The thread goes back to its event loop, or comes from there. After `true`, `next` has to be asked once more. */
  setInLoop(inLoop: boolean): void {
    Atomics.store(this.#words, WORD.inLoop, inLoop ? 1 : 0);
  }

  /** Tells that everything up to this batch is durable. */
  tellDurable(batch: number): void {
    Atomics.store(this.#words, WORD.durable, batch);
    Atomics.notify(this.#words, WORD.durable);
  }

  #receiveMessage(): ToWorker | undefined {
    let message = this.#receive();
    while (message === WAKE) message = this.#receive();
    return message;
  }

  #open(at: number): CommitMessage {
    const word = (field: number): number => this.#words[at + field] ?? 0;
    const room = this.#rooms[word(LETTER.slot)] as Room;
    const packed = {
      count: word(LETTER.count),
      numbers: room.numbers,
      bytes: room.bytes.subarray(0, word(LETTER.used)),
    };
    return { batch: word(LETTER.batch), packed };
  }
}
