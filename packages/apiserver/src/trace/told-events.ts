import type { KubeObject } from '@binnacle/machinery';
import type { AnyCall } from '../catalogue/definition.ts';
import type { TablePrinter } from '../ports/columns.ts';
import { partialObject } from '../render/partial.ts';
import { printedRow } from '../render/table.ts';
import { negotiate } from '../request/media.ts';
import type { Rendering } from '../request/media.ts';

/** Upstream's mark of the bookmark behind what was there at the start of a watch. */
const INITIAL_EVENTS_END = { 'k8s.io/initial-events-end': 'true' };

/** Whose stream it is, and how its objects are shown to people. */
export interface ToldEventsOptions {
  readonly call: Pick<AnyCall, 'request' | 'query'>;
  readonly columns: TablePrinter;
  readonly clock: { now(): number };
}

/** The lines of one stream as its reader asked for them: objects, or a Table of one row each, as `kubectl get --watch` prints them. */
export class ToldEvents {
  readonly #rendering: Rendering;
  readonly #options: ToldEventsOptions;
  /** The columns come with the first row only. */
  #isFirst = true;

  constructor(options: ToldEventsOptions) {
    this.#options = options;
    this.#rendering = negotiate(options.call.request.header('accept'), false, { tables: true });
  }

  /** Of an object that is there, or has changed. */
  line(type: 'ADDED' | 'MODIFIED', object: KubeObject): string {
    return `${JSON.stringify({ type, object: this.#shown(object) })}\n`;
  }

  /** Up to here all is told; of Tables only where it is asked for, as people are shown each line. */
  bookmark(object: KubeObject, { isFirst }: { readonly isFirst: boolean }): string {
    const { query } = this.#options.call;
    const isEnd = isFirst && query.get('sendInitialEvents') === 'true';
    if (this.#rendering.as !== 'object' && !isEnd && query.get('allowWatchBookmarks') !== 'true') return '';
    const annotations = isEnd ? { annotations: INITIAL_EVENTS_END } : {};
    const marked = { ...object, metadata: { ...object.metadata, ...annotations } };
    return `${JSON.stringify({ type: 'BOOKMARK', object: this.#shownMark(marked, isEnd) })}\n`;
  }

  #shown(object: KubeObject): object {
    const { as, metaVersion } = this.#rendering;
    if (as === 'object') return object;
    if (as === 'partial') return partialObject(object, metaVersion);
    const { columns, clock, call } = this.#options;
    const includeObject = call.query.get('includeObject');
    const first = this.#isFirst;
    this.#isFirst = false;
    return printedRow(columns, { object, metaVersion, includeObject, first, now: clock.now() });
  }

  #shownMark(object: KubeObject, isEnd: boolean): object {
    const { as, metaVersion } = this.#rendering;
    if (as === 'object') return object;
    const partial = partialObject(object, metaVersion);
    if (as === 'partial') return partial;
    const { resourceVersion } = object.metadata;
    const rows = isEnd ? [{ cells: [], object: partial }] : [];
    const table = { kind: 'Table', apiVersion: `meta.k8s.io/${metaVersion}` };
    return { ...table, metadata: { resourceVersion }, columnDefinitions: null, rows };
  }
}
