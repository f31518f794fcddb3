import type { ClientCount, Clock, Logger } from '@binnacle/base';
import type { OpenWire, Session, Sessions } from '../sessions.ts';
import type { PageFile } from './files.ts';
import type { Forwards } from './forwards.ts';

/** What every request needs. */
export interface DashboardWorld {
  /** Read when somebody first looks: most clusters are never looked at. */
  readonly files: () => Promise<ReadonlyMap<string, PageFile>>;
  readonly sessions: Sessions;
  readonly open: OpenWire;
  /** Who is logging in, by the address that he comes from. */
  readonly signIns: ClientCount;
  /** The ports that a viewer has open; they end with the session. */
  readonly forwardsOf: (session: Session) => Forwards;
  /** The names under which this origin may be asked. */
  readonly hosts: ReadonlySet<string>;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Logger;
}
