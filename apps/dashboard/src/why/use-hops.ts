import { useEffect, useState } from 'react';
import type { RingState, TraceHop, TraceHopList } from '@binnacle/trace';
import type { Resource } from '../api/discovery.ts';
import { Lines } from '../api/lines.ts';
import { request } from '../api/request.ts';
import { streams } from '../api/streams.ts';
import type { ApiObject } from '../live/rows.ts';
import { mergeHops } from './story.ts';
import type { StoryObject } from './story.ts';

/** The story of an object so far. */
export interface LiveStory {
  readonly hops: readonly TraceHop[];
  readonly ring?: RingState;
  readonly error?: string;
}

const LIMIT = 5000;

/** The path under which the trace group tells of an object. */
export function storyPath({ group, resource }: Resource, { metadata }: ApiObject, what: string): string {
  return storyPathOf({ ...metadata, group, resource }, what);
}

/** Likewise, by the object's name alone. */
export function storyPathOf({ group, resource, namespace = '', name }: StoryObject, what: string): string {
  const place = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const about = encodeURIComponent(`${group === '' ? resource : `${resource}.${group}`}/${name}`);
  return `/apis/trace.binnacle.dev/v1${place}/${what}?about=${about}`;
}

/** Reads the story of an object, then follows it as long as the component is shown. */
export function useHops(kind: Resource, object: ApiObject): LiveStory {
  return useHopsAt(storyPath(kind, object, 'hops'));
}

/** Hops by their path, with a query that chooses some. */
export function useHopsAt(path: string): LiveStory {
  const [story, setStory] = useState<LiveStory>({ hops: [] });
  useEffect(() => {
    let stop = (): void => undefined;
    let isGone = false;
    const take = (more: readonly TraceHop[], ring: RingState | undefined): void =>
      setStory((now) => ({
        ...now,
        hops: more.length === 0 ? now.hops : mergeHops(now.hops, more),
        ...(ring === undefined ? {} : { ring }),
      }));
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

type StreamLine =
  | { readonly type: 'ADDED'; readonly object: TraceHop }
  | { readonly type: 'BOOKMARK'; readonly object: { readonly ring?: RingState } };

function follow(path: string, take: (hops: readonly TraceHop[], ring: RingState | undefined) => void): () => void {
  const lines = new Lines();
  return streams.open(path, 'application/json', {
    status: () => undefined,
    data: (text) => {
      const more: TraceHop[] = [];
      let ring: RingState | undefined;
      for (const line of lines.take(text)) {
        const event = JSON.parse(line) as StreamLine;
        if (event.type === 'ADDED') more.push(event.object);
        else ({ ring } = event.object);
      }
      if (more.length > 0 || ring !== undefined) take(more, ring);
    },
    // The page still shows what it has; opening it again follows anew.
    ended: () => undefined,
  });
}
