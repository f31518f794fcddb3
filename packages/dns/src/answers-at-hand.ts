/** A power of two: so many questions are known at once, and each falls on one of these places. */
const PLACES = 16_384;
/** The longest name with an OPT record and a cookie; what is longer carries something that no second one has. */
const QUESTION_BYTES_MAX = 320;
/** Nearly all answers; with it all places full are a dozen megabytes. */
const ANSWER_BYTES_MAX = 512;
/** Copies are cut from pieces of so many bytes: memory of its own for each would cost more than all the rest. */
const PIECE_BYTES = 65_536;
const ID_BYTES = 2;
/** FNV-1a, 32 bits. */
const HASH = { start: 0x811c9dc5, prime: 0x01000193 } as const;

interface Entry {
  /** Without its id. */
  readonly question: Uint8Array;
  readonly answer: Uint8Array;
  readonly until: number;
}

/**
 * Answers as they were sent, found by all bytes of their question but its id: most are asked over and over, in the
 * same words. Holds a bounded number; of two that fall on one place the later one stays.
 */
export class AnswersAtHand {
  readonly #entries = Array.from<Entry | undefined>({ length: PLACES });
  #isEmpty = true;
  #piece = new Uint8Array(0);
  #used = 0;

  /** A copy with the id of this question, the caller's own. `now` as in `keep`. */
  find(message: Uint8Array, now: number): Uint8Array | undefined {
    if (this.#isEmpty || message.length > QUESTION_BYTES_MAX) return undefined;
    const entry = this.#entries[placeOf(message)];
    if (entry === undefined || now >= entry.until || !asksTheSame(entry.question, message)) return undefined;
    const answer = this.#copy(entry.answer);
    answer[0] = message[0] ?? 0;
    answer[1] = message[1] ?? 0;
    return answer;
  }

  /** Keeps the answer to a question until a time: milliseconds of a clock that does not jump. */
  keep(message: Uint8Array, answer: Uint8Array, until: number): void {
    if (message.length > QUESTION_BYTES_MAX || answer.length > ANSWER_BYTES_MAX) return;
    const question = new Uint8Array(message.subarray(ID_BYTES));
    this.#entries[placeOf(message)] = { question, answer: new Uint8Array(answer), until };
    this.#isEmpty = false;
  }

  clear(): void {
    if (!this.#isEmpty) this.#entries.fill(undefined);
    this.#isEmpty = true;
  }

  #copy(answer: Uint8Array): Uint8Array {
    const from = this.#used + answer.length > this.#piece.length ? 0 : this.#used;
    // Whoever still sends from the old piece keeps it.
    if (from === 0) this.#piece = new Uint8Array(PIECE_BYTES);
    this.#piece.set(answer, from);
    this.#used = from + answer.length;
    return this.#piece.subarray(from, this.#used);
  }
}

function placeOf(message: Uint8Array): number {
  let hash: number = HASH.start;
  for (let at = ID_BYTES; at < message.length; at++) hash = Math.imul(hash ^ (message[at] ?? 0), HASH.prime);
  return (hash ^ (hash >>> 16)) & (PLACES - 1);
}

function asksTheSame(question: Uint8Array, message: Uint8Array): boolean {
  if (question.length !== message.length - ID_BYTES) return false;
  for (let at = 0; at < question.length; at++) if (question[at] !== message[at + ID_BYTES]) return false;
  return true;
}
