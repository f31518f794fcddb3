import { useEffect, useState } from 'react';
import { discover } from '../api/discovery.ts';
import type { Resource } from '../api/discovery.ts';
import { useTable } from '../live/use-table.ts';

/** What the server serves. */
export interface Discovery {
  /** Undefined: not read yet. */
  readonly kinds: readonly Resource[] | undefined;
  readonly error?: string;
}

/** Whose changes change what is served; who may not see them learns of new kinds with the next page. */
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
/** Definitions come in bursts, and are served a moment after they are there. */
const PAUSE_MS = 300;

/** Reads discovery, and reads it again when definitions of kinds or of other servers change. */
export function useDiscovery(): Discovery {
  const [found, setFound] = useState<Discovery>({ kinds: undefined });
  const [definitions, services] = [useTable(DEFINITIONS, { isOfNow: true }), useTable(SERVICES, { isOfNow: true })];
  const state = [...definitions.rows, ...services.rows].map(({ object }) => object.metadata.resourceVersion).join();
  const isFirst = found.kinds === undefined;
  useEffect(() => {
    let isCurrent = true;
    const read = (): void => {
      discover().then(
        (kinds) => {
          if (isCurrent) setFound((known) => (isSame(known.kinds, kinds) ? known : { kinds }));
        },
        // What was known before is still the best that is known.
        (reason: unknown) => {
          if (isCurrent) setFound(({ kinds }) => (kinds === undefined ? { kinds, error: String(reason) } : { kinds }));
        },
      );
    };
    const timer = setTimeout(read, isFirst ? 0 : PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
    // `isFirst` says how soon, not whether.
  }, [state]);
  return found;
}

function isSame(a: readonly Resource[] | undefined, b: readonly Resource[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
