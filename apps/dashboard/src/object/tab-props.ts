import type { Resource } from '../api/discovery.ts';
import type { ApiObject } from '../live/rows.ts';

/** What every tab of an object's page shows something of. */
export interface TabProps {
  readonly kind: Resource;
  readonly object: ApiObject;
}
