import type { ApiRequest } from '../api/request.ts';
import type { Wish } from '../rights/rules.ts';
import type { Texts } from '../texts/english.ts';

/** Something that can be done with an object, by what its kind is made of. */
export interface Action {
  readonly name: keyof Texts;
  readonly wish: Wish;
  /** The same on a command line, `answer` as below. */
  readonly kubectl: (answer: string) => string;
  /** What is asked before it is done, beside whether. */
  readonly asks: 'nothing' | 'count' | 'propagation';
  /** `answer`: the count, or how what belongs to the object goes. Rejects with what to show. */
  readonly act: (answer: string, world: ActionWorld) => Promise<unknown>;
}

/** What acting needs of the world. */
export interface ActionWorld {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Rejects with an ApiError. */
  readonly send: <T>(call: ApiRequest) => Promise<T>;
  /** How far a longer one is. */
  readonly tell: (progress: string) => void;
  /** Before something is tried again; rejects when nobody waits any more. */
  readonly wait: (delayMs: number) => Promise<void>;
}

/** How changes of the dashboard are signed in managed fields. */
export const FIELD_MANAGER = 'fieldManager=binnacle-dashboard';
