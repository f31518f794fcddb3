import { useEffect, useRef, useState } from 'react';
import { discover } from '../api/discovery.ts';
import type { Resource } from '../api/discovery.ts';
import { useTable } from '../live/use-table.ts';
import { inTurn } from './in-turn.ts';

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
  const [discovery, setFound] = useState<Discovery>({ kinds: undefined });
  const [definitions, services] = [useTable(DEFINITIONS, { isOfNow: true }), useTable(SERVICES, { isOfNow: true })];
  const state = [...definitions.rows, ...services.rows].map(({ object }) => object.metadata.resourceVersion).join();
  const turns = useRef<ReturnType<typeof inTurn<Found>>>(undefined);
  useEffect(() => {
    const isFirst = turns.current === undefined;
    const ask = (turns.current ??= inTurn<Found>((next) => setFound((known) => better(known, next))));
    // What the first reading finds is shown although definitions were read meanwhile: whoever waits sees the page sooner.
    const timer = setTimeout(() => ask(found), isFirst ? 0 : PAUSE_MS);
    return () => clearTimeout(timer);
  }, [state]);
  return discovery;
}

type Found = { readonly kinds: readonly Resource[] } | { readonly error: string };

async function found(): Promise<Found> {
  try {
    return { kinds: await discover() };
  } catch (error) {
    return { error: String(error) };
  }
}

function better(known: Discovery, next: Found): Discovery {
  if ('kinds' in next) return isSame(known.kinds, next.kinds) ? known : next;
  // What was known before is still the best that is known.
  return known.kinds === undefined ? { kinds: undefined, error: next.error } : { kinds: known.kinds };
}

function isSame(a: readonly Resource[] | undefined, b: readonly Resource[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
