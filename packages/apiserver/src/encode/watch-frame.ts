import type { Clock } from '@binnacle/base';
import { groupVersion } from '@binnacle/machinery';
import type { KubeObject, StatusError } from '@binnacle/machinery';
import type { ServedResource } from '../catalogue/definition.ts';
import type { Rendering } from '../request/media.ts';
import type { WatchItem } from '../cache/watch-source.ts';
import { encodeWrapped, withRevision } from '../storage/object-bytes.ts';
import { partialObject } from '../render/partial.ts';
import { tableRow } from '../render/table.ts';

const encoder = new TextEncoder();

/** Makes the lines of one watch stream. */
export interface FrameEncoder {
  frame(item: WatchItem): Uint8Array;
}

const OPEN: { readonly [type: string]: string } = {
  ADDED: '{"type":"ADDED","object":',
  MODIFIED: '{"type":"MODIFIED","object":',
  DELETED: '{"type":"DELETED","object":',
};
const CLOSE = '}\n';

/** Plain objects are encoded once per event and shared by all watchers; Tables are made per stream. */
export function createFrameEncoder(
  served: ServedResource,
  options: { readonly rendering: Rendering; readonly includeObject: string; readonly clock: Pick<Clock, 'now'> },
): FrameEncoder {
  const { rendering } = options;
  let first = true;
  const show = (object: KubeObject): object => {
    if (rendering.as === 'object') return object;
    if (rendering.as === 'partial') return partialObject(object, rendering.metaVersion);
    const row = tableRow(served, {
      object,
      includeObject: options.includeObject,
      metaVersion: rendering.metaVersion,
      first,
      now: options.clock.now(),
    });
    first = false;
    return row;
  };
  return {
    frame(item) {
      if (item.type === 'BOOKMARK') return line('BOOKMARK', showBookmark(served, rendering, item));
      if (rendering.as === 'object') return shared(served, item);
      return line(item.type, show(withRevision(served.view(item.entry), item.revision)));
    },
  };
}

/** The last line of a watch that failed. */
export function errorFrame(error: StatusError): Uint8Array {
  return line('ERROR', error.status);
}

function line(type: string, object: object): Uint8Array {
  return encoder.encode(`${JSON.stringify({ type, object })}\n`);
}

function shared(served: ServedResource, item: Exclude<WatchItem, { type: 'BOOKMARK' }>): Uint8Array {
  const { event, entry, revision, type } = item;
  const key = served.native ? type : `${type} ${served.info.version}`;
  const known = event?.frames?.get(key);
  if (known !== undefined) return known;
  const wrap = { before: OPEN[type] ?? '', after: CLOSE };
  const made = served.native
    ? served.bytes.served(entry, revision, wrap)
    : encodeWrapped(served.view(entry), revision, wrap);
  if (event !== undefined) (event.frames ??= new Map<string, Uint8Array>()).set(key, made);
  return made;
}

/** A bookmark is an object of the kind with nothing but a resourceVersion. */
export function bookmarkObject(
  served: ServedResource,
  { revision, initialEnd }: { readonly revision: number; readonly initialEnd: boolean },
): KubeObject {
  return {
    kind: served.info.kind,
    apiVersion: groupVersion(served.info),
    metadata: {
      resourceVersion: String(revision),
      ...(initialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
    },
  };
}

function showBookmark(
  served: ServedResource,
  rendering: Rendering,
  item: Extract<WatchItem, { type: 'BOOKMARK' }>,
): object {
  const object = bookmarkObject(served, item);
  if (rendering.as === 'object') return object;
  if (rendering.as === 'partial') return partialObject(object, rendering.metaVersion);
  const { metadata } = object;
  const row = { cells: [], object: partialObject(object, rendering.metaVersion) };
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${rendering.metaVersion}`,
    metadata: { resourceVersion: metadata.resourceVersion },
    columnDefinitions: null,
    rows: item.initialEnd ? [row] : [],
  };
}
