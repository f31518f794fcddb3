import type { FieldPath } from './path.ts';

/** At most so many are told: each becomes a header of the reply. */
const TOLD_MAX = 100;

/** What whoever wrote an object should know of it although it is taken as it is; each in upstream's words. */
export class Warnings {
  readonly texts: string[] = [];

  /** Nothing more is taken. */
  get isFull(): boolean {
    return this.texts.length >= TOLD_MAX;
  }

  /** `spec.a: text` */
  add(path: FieldPath, text: string): void {
    this.say(`${path.toString()}: ${text}`);
  }

  /** A sentence without a place. */
  say(text: string): void {
    if (!this.isFull) this.texts.push(text);
  }
}
