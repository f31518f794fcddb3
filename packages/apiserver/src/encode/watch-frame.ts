import type { Clock } from '@binnacle/base';
import { groupVersion } from '@binnacle/machinery';
import type { KubeObject, StatusError } from '@binnacle/machinery';
import type { ServedResource } from '../catalogue/definition.ts';
import type { Rendering } from '../request/media.ts';
import type { WatchItem } from '../cache/watch-source.ts';
import { withRevision } from '../storage/object-bytes.ts';
import { partialObject } from '../render/partial.ts';
import { tableRow } from '../render/table.ts';
import type { Encoding } from './encoding.ts';
import { encodingOf } from './encodings.ts';

type ObjectItem = Exclude<WatchItem, { type: 'BOOKMARK' }>;

/** Makes the events of one watch stream. */
export interface FrameEncoder {
  frame(item: WatchItem): Uint8Array;
}

/** Plain objects are encoded once per event and shared by all watchers; Tables are made per stream. */
export function createFrameEncoder(
  served: ServedResource,
  options: { readonly rendering: Rendering; readonly includeObject: string; readonly clock: Pick<Clock, 'now'> },
): FrameEncoder {
  const { rendering } = options;
  const encoding = encodingOf(rendering);
  const shared = sharedFrames(encoding, served);
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
      if (item.type === 'BOOKMARK') return encoding.valueFrame('BOOKMARK', showBookmark(served, rendering, item));
      if (rendering.as === 'object') return shared(item);
      return encoding.valueFrame(item.type, show(withRevision(served.view(item.entry), item.revision)));
    },
  };
}

/** The last event of a watch that failed. */
export function errorFrame(rendering: Rendering, error: StatusError): Uint8Array {
  return encodingOf(rendering).valueFrame('ERROR', error.status);
}

/** The bytes of an event, made once for all watchers of a version that take the same encoding. */
function sharedFrames(encoding: Encoding, served: ServedResource): (item: ObjectItem) => Uint8Array {
  const version = served.native ? '' : ` ${groupVersion(served.info)}`;
  const keyOf = (type: string): string => `${encoding.name} ${type}${version}`;
  const keys = { ADDED: keyOf('ADDED'), MODIFIED: keyOf('MODIFIED'), DELETED: keyOf('DELETED') };
  return (item) => {
    const { event } = item;
    const known = event?.frames?.get(keys[item.type]);
    if (known !== undefined) return known;
    const made = encoding.frame(served, item);
    if (event !== undefined) (event.frames ??= new Map<string, Uint8Array>()).set(keys[item.type], made);
    return made;
  };
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
