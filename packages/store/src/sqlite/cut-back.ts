import type { Mark } from './mark.ts';

/** What lies on the disk when a store is opened. */
export interface Found {
  readonly path: string;
  readonly markPath: string;
  readonly mark: Mark | 'damaged' | undefined;
  readonly database: {
    /** 0 where it does not know of a mark yet: it is new, or of an earlier version. */
    readonly id: number;
    readonly revision: number;
  };
}

/** How to go on. */
export interface Continuation {
  /** The store's revision; its next one is higher than any ever given. */
  readonly revision: number;
  /** What readers have of earlier revisions is not to be trusted: they are told that these are compacted away. */
  readonly isForgetful: boolean;
  /** Why that cannot be done without losing something; undefined where nothing is lost. */
  readonly loss: string | undefined;
}

/** Where nothing says how far revisions had come: so far that they were not. As etcd's own `--bump-revision` is used. */
const BUMP = 1_000_000_000;

/** Whether the database is all that was acknowledged, and where its revisions go on. */
export function judgeFound(found: Found): Continuation {
  const { mark, database } = found;
  const loss = findLoss(found);
  if (loss === undefined) {
    const revision = Math.max(database.revision, typeof mark === 'object' ? mark.reserved : 0);
    return { revision, isForgetful: false, loss };
  }
  // The mark may be of another store: whichever is higher.
  const known = typeof mark === 'object' ? Math.max(mark.reserved, database.revision) + 1 : undefined;
  return { revision: known ?? database.revision + BUMP, isForgetful: true, loss };
}

function findLoss({ path, markPath, mark, database }: Found): string | undefined {
  if (mark === 'damaged') return `${markPath}, which says how far ${path} had come, is damaged`;
  if (mark === undefined) {
    return database.id === 0 ? undefined : `${markPath}, which says how far ${path} had come, is missing`;
  }
  if (database.id !== 0 && database.id !== mark.id) return `${path} is not the store that ${markPath} belongs to`;
  if (database.revision < mark.durable) {
    return `${path} is at revision ${database.revision}, but had come to ${mark.durable} (says ${markPath})`;
  }
  if (database.revision > mark.reserved) {
    return `${path} is at revision ${database.revision}, but ${markPath} knows of none above ${mark.reserved}`;
  }
  return undefined;
}
