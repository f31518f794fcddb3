import { RecentTable } from '@binnacle/base';

/** Which row had the focus when a list was left. */
export interface LeftRow {
  /** Of its object (`identityOf`). */
  readonly identity: string;
  /** Pixels that it was below what is scrolled away. */
  readonly offset: number;
}

const LISTS_MAX = 64;

/** Of this tab, by the kinds of the lists: who looked at an object and comes back goes on from its row. */
export const leftRows = new RecentTable<LeftRow>(LISTS_MAX);
