import type { TraceHopList } from '@binnacle/trace';
import { useEffect, useState } from 'react';
import type { Resource } from '../api/discovery.ts';
import { request } from '../api/request.ts';
import { streams } from '../api/streams.ts';
import type { ApiObject } from '../live/rows.ts';
import { LiveStory } from './live-story.ts';
import type { LiveStoryView, StoryWorld } from './live-story.ts';
import type { StoryObject } from './story.ts';

const world: StoryWorld = {
  read: async (path) => (await request<TraceHopList>({ path })).value,
  open: (path, listener) => streams.open(path, 'application/json', listener),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

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
export function useHops(kind: Resource, object: ApiObject): LiveStoryView {
  return useHopsAt(storyPath(kind, object, 'hops'));
}

/** Hops by their path, with a query that chooses some. */
export function useHopsAt(path: string): LiveStoryView {
  const [view, setView] = useState<LiveStoryView>({ hops: [] });
  useEffect(() => {
    setView({ hops: [] });
    const story = new LiveStory(path, world, setView);
    story.start();
    return () => story.stop();
  }, [path]);
  return view;
}
