import { createContext, useContext } from 'react';
import type { Resource } from '../api/discovery.ts';
import type { Gvr } from '../route/route.ts';

/** The kinds that the server serves, as discovered; shown to all pages. */
export const KindsContext = createContext<readonly Resource[]>([]);

/** All kinds that can be listed. */
export function useKinds(): readonly Resource[] {
  return useContext(KindsContext);
}

/** The kind of an address; undefined: the server does not serve it. */
export function useKind({ group, resource }: Gvr): Resource | undefined {
  return useKinds().find((kind) => kind.group === group && kind.resource === resource);
}
