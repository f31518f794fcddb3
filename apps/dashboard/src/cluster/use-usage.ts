import { useEffect, useState } from 'react';
import { ApiError, request } from '../api/request.ts';
import { useKinds } from '../kinds/use-kinds.ts';
import { amountOf } from './pod-summary.ts';
import type { Amount } from './pod-summary.ts';

const GROUP = 'metrics.k8s.io';
/** Figures cannot be watched: they are as old as this at the most. */
const EVERY_MS = 15_000;

interface NodeFigures {
  readonly metadata: { readonly name: string };
  readonly usage?: { readonly [resource: string]: string };
}

/** What each node uses, by its name; empty where nobody measures, or the viewer may not see it. */
export function useUsage(): ReadonlyMap<string, Amount> {
  const kind = useKinds().find(({ group, resource }) => group === GROUP && resource === 'nodes');
  const [usage, setUsage] = useState<ReadonlyMap<string, Amount>>(new Map());
  const path = kind === undefined ? undefined : `/apis/${GROUP}/${kind.version}/nodes`;
  useEffect(() => {
    if (path === undefined) return undefined;
    const gone = new AbortController();
    const read = (): void => {
      request<{ readonly items?: readonly NodeFigures[] }>({ path, signal: gone.signal }).then(
        ({ value }) => setUsage(new Map((value.items ?? []).map((one) => [one.metadata.name, amountOf(one.usage)]))),
        (error: unknown) => {
          if (!gone.signal.aborted && error instanceof ApiError) setUsage(new Map());
        },
      );
    };
    read();
    const timer = setInterval(read, EVERY_MS);
    return () => {
      gone.abort();
      clearInterval(timer);
    };
  }, [path]);
  return usage;
}
