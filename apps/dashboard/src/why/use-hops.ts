import { useEffect, useState } from 'react';
import type { RingState, TraceHop, TraceHopList } from '@binnacle/trace';
import type { Resource } from '../api/discovery.ts';
import { Lines } from '../api/lines.ts';
import { request } from '../api/request.ts';
import { streams } from '../api/streams.ts';
import type { ApiObject } from '../live/rows.ts';
import { mergeHops } from './story.ts';

/** The story of an object so far. */
export interface LiveStory {
  readonly hops: readonly TraceHop[];
  readonly ring?: RingState;
  readonly error?: string;
}

const LIMIT = 5000;

/** The path under which the trace group tells of an object. */
export function storyPath({ group, resource, namespaced }: Resource, { metadata }: ApiObject, what: string): string {
  const place = namespaced ? `/namespaces/${encodeURIComponent(metadata.namespace ?? '')}` : '';
  const about = encodeURIComponent(`${group === '' ? resource : `${resource}.${group}`}/${metadata.name}`);
  return `/apis/trace.binnacle.dev/v1${place}/${what}?about=${about}`;
}

/** Reads the story, then follows it as long as the component is shown. */
export function useHops(kind: Resource, object: ApiObject): LiveStory {
  const [story, setStory] = useState<LiveStory>({ hops: [] });
  const path = storyPath(kind, object, 'hops');
  useEffect(() => {
    let stop = (): void => undefined;
    let isGone = false;
    const take = (more: readonly TraceHop[]): void => setStory((now) => ({ ...now, hops: mergeHops(now.hops, more) }));
    const fail = (error: unknown): void =>
      setStory((now) => ({ ...now, error: error instanceof Error ? error.message : String(error) }));
    request<TraceHopList>({ path: `${path}&limit=${LIMIT}` }).then(({ value }) => {
      if (isGone) return;
      setStory({ hops: value.items, ring: value.ring });
      const version = value.metadata.resourceVersion;
      stop = follow(`${path}&watch=true&resourceVersion=${version}`, take);
    }, fail);
    return () => {
      isGone = true;
      stop();
    };
  }, [path]);
  return story;
}

function follow(path: string, take: (hops: readonly TraceHop[]) => void): () => void {
  const lines = new Lines();
  let waiting: TraceHop[] = [];
  return streams.open(path, 'application/json', {
    status: () => undefined,
    data: (text) => {
      for (const line of lines.take(text)) {
        const { type, object } = JSON.parse(line) as { readonly type: string; readonly object: TraceHop };
        if (type === 'ADDED') waiting.push(object);
      }
      if (waiting.length === 0) return;
      const more = waiting;
      waiting = [];
      take(more);
    },
    // The page still shows what it has; opening it again follows anew.
    ended: () => undefined,
  });
}
