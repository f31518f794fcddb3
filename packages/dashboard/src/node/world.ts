import type { Logger } from '@binnacle/base';
import type { OpenWire, Sessions } from '../sessions.ts';
import type { PageFile } from './files.ts';

/** What every request needs. */
export interface DashboardWorld {
  /** Read when somebody first looks: most clusters are never looked at. */
  readonly files: () => Promise<ReadonlyMap<string, PageFile>>;
  readonly sessions: Sessions;
  readonly open: OpenWire;
  /** The names under which this origin may be asked. */
  readonly hosts: ReadonlySet<string>;
  readonly log: Logger;
}
