import { hasCode } from '../api/has-code.ts';
import { Lines } from '../api/lines.ts';
import type { StreamListener } from '../api/streams.ts';
import { Rows } from './rows.ts';
import type { Column, Reading, Row, WatchEvent } from './rows.ts';

/** What a list shows now. */
export interface TableView {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** Of the list and of everything that came since. */
  readonly resourceVersion: string;
  /** `read`: once, and not watched (or not for the viewer to watch); `compacted`: of a moment that the store has let go of; `timeless`: of kinds whose past nobody keeps; `forbidden`: not for the viewer. */
  readonly state: 'loading' | 'live' | 'read' | 'broken' | 'compacted' | 'timeless' | 'forbidden';
  readonly error?: string;
}

/** Which list. */
export interface LiveQuery {
  readonly path: string;
  /** Selectors, as they travel; without a question mark. */
  readonly query: string;
  readonly reading: Reading;
  /** The store's revision as of which it is shown; absent: as it is now. */
  readonly at?: string | undefined;
  /** False: the server does not tell of changes. */
  readonly isWatched?: boolean;
}

/** How the table reaches the API, and when it draws. */
export interface LiveWorld {
  /** GET; rejects with what to show, and with its `code` where the server refused it. */
  list(path: string, accept: string): Promise<unknown>;
  open(path: string, accept: string, listener: StreamListener): () => void;
  after(delayMs: number, run: () => void): () => void;
  /** Before the next frame is drawn. */
  soon(run: () => void): void;
}

const PAGE = 500;
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 20_000;
const EMPTY: TableView = { columns: [], rows: [], resourceVersion: '', state: 'loading' };

/**
 * A list that stays true: read page by page, then watched; read again when the watch cannot go on. Views are new
 * objects, at most one per frame, however fast events come.
 */
export class LiveTable {
  readonly #path: string;
  readonly #query: string;
  readonly #reading: Reading;
  readonly #world: LiveWorld;
  readonly #at: string | undefined;
  readonly #isWatched: boolean;
  readonly #rows = new Rows();
  readonly #listeners = new Set<() => void>();
  #view: TableView = EMPTY;
  #columns: readonly Column[] = [];
  #resourceVersion = '';
  #retryMs = RETRY_MS_MIN;
  /** Before it is read again because a watch could not go on; 0 as long as watches tell of anything else. */
  #renewMs = 0;
  #isDrawing = false;
  #stop: (() => void) | undefined;
  #run = 0;

  constructor({ path, query, reading, at, isWatched = true }: LiveQuery, world: LiveWorld) {
    this.#path = path;
    this.#query = [reading.query, query].filter((part) => part !== '').join('&');
    this.#reading = reading;
    this.#world = world;
    this.#at = at;
    this.#isWatched = isWatched && at === undefined;
  }

  /** Reads and watches as long as somebody listens. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#start();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#end();
    };
  };

  view = (): TableView => this.#view;

  #start(): void {
    const run = ++this.#run;
    this.#read(run).catch((error: unknown) => {
      if (this.#at !== undefined && hasCode(error, 410)) this.#giveUp(run, 'compacted');
      // Asked again and again it is refused again and again.
      else if (hasCode(error, 403)) this.#giveUp(run, 'forbidden');
      else this.#fail(run, error instanceof Error ? error.message : String(error));
    });
  }

  #end(): void {
    this.#run++;
    this.#stop?.();
    this.#stop = undefined;
  }

  async #read(run: number): Promise<void> {
    const rows: Row[] = [];
    let token = '';
    do {
      const path = this.#with(`limit=${PAGE}${token === '' ? this.#moment : `&continue=${encodeURIComponent(token)}`}`);
      const page = this.#reading.page(await this.#world.list(path, this.#reading.accept));
      if (run !== this.#run) return;
      if (token === '' && !this.#isOfThen(page.metadata?.resourceVersion)) return this.#giveUp(run, 'timeless');
      this.#define(page.columnDefinitions ?? this.#columns);
      rows.push(...(page.rows ?? []));
      token = page.metadata?.continue ?? '';
      this.#resourceVersion = page.metadata?.resourceVersion ?? '';
      // A long list is shown as it comes, unless an older one is still true enough to be kept meanwhile.
      // As often as it doubles: to put it in order with every page would cost its square.
      if (this.#view.state === 'loading' && rows.length >= 2 * this.#view.rows.length) this.#replace(rows, 'loading');
    } while (token !== '');
    if (!this.#isWatched) this.#retryMs = RETRY_MS_MIN;
    this.#replace(rows, this.#isWatched ? 'live' : 'read');
    if (this.#isWatched) this.#watch(run);
  }

  /** Of the first page; the others go on from it. */
  get #moment(): string {
    return this.#at === undefined ? '' : `&resourceVersion=${this.#at}&resourceVersionMatch=Exact`;
  }

  /** Whether it is the moment that was asked for: who keeps no past answers with what is now (figures of usage, pauses). */
  #isOfThen(resourceVersion = ''): boolean {
    return this.#at === undefined || (resourceVersion !== '' && Number(resourceVersion) === Number(this.#at));
  }

  #giveUp(run: number, state: 'compacted' | 'timeless' | 'forbidden'): void {
    if (run !== this.#run) return;
    this.#rows.clear();
    this.#show(state);
  }

  #watch(run: number): void {
    const lines = new Lines();
    const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${this.#resourceVersion}`;
    let refusal: number | undefined;
    this.#stop = this.#world.open(this.#with(query), this.#reading.accept, {
      status: (code) => {
        if (code >= 400) refusal = code;
        // Only what could be followed is worth being read again at once.
        else this.#retryMs = RETRY_MS_MIN;
      },
      data: (text) => {
        if (refusal !== undefined || run !== this.#run) return;
        try {
          for (const line of lines.take(text)) {
            if (run === this.#run) this.#take(JSON.parse(line) as WatchEvent);
          }
        } catch (error) {
          // What else it told of is not known: the list would no longer be true.
          this.#end();
          this.#break(String(error), this.#renewal());
        }
      },
      ended: (error) => {
        if (run !== this.#run) return;
        // Who may list and not watch sees what there was.
        if (refusal === 403) this.#show('read');
        else if (refusal !== undefined || error !== undefined) this.#fail(run, error ?? `HTTP ${refusal}`);
        // The server ends watches now and then: the next goes on where this one was.
        else this.#stop = this.#world.after(RETRY_MS_MIN, () => this.#watch(run));
      },
    });
  }

  #take({ type, object }: WatchEvent): void {
    if (type === 'ERROR') {
      this.#readAgain();
      return;
    }
    const { columnDefinitions, rows } = this.#reading.event(object);
    // Servers write empty lists as null.
    if ((columnDefinitions?.length ?? 0) > 0) this.#define(columnDefinitions ?? []);
    for (const row of rows ?? []) {
      this.#resourceVersion = row.object.metadata.resourceVersion;
      if (type === 'DELETED') this.#rows.remove(row);
      else if (type !== 'BOOKMARK') this.#rows.put(row);
    }
    this.#renewMs = 0;
    this.#draw();
  }

  /** Columns that are as they were stay the same object: who draws by them need not begin anew. */
  #define(columns: readonly Column[]): void {
    if (JSON.stringify(columns) !== JSON.stringify(this.#columns)) this.#columns = columns;
  }

  /** The watch was too old to go on from: at once; where that was no cure, a while later. */
  #readAgain(): void {
    this.#end();
    const delayMs = this.#renewal();
    if (delayMs === 0) this.#start();
    else this.#stop = this.#world.after(delayMs, () => this.#start());
  }

  #renewal(): number {
    const delayMs = this.#renewMs;
    this.#renewMs = Math.min(RETRY_MS_MAX, Math.max(RETRY_MS_MIN, delayMs * 2));
    return delayMs;
  }

  #fail(run: number, error: string): void {
    if (run !== this.#run) return;
    this.#break(error, this.#retryMs);
    this.#retryMs = Math.min(RETRY_MS_MAX, this.#retryMs * 2);
  }

  #break(error: string, delayMs: number): void {
    this.#view = { ...this.#view, state: 'broken', error };
    this.#tell();
    this.#stop = this.#world.after(delayMs, () => this.#start());
  }

  #replace(rows: readonly Row[], state: TableView['state']): void {
    this.#rows.clear();
    for (const row of rows) this.#rows.put(row);
    this.#show(state);
  }

  #draw(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    this.#world.soon(() => {
      this.#isDrawing = false;
      // What broke off before the frame stays broken, until it is read again.
      if (this.#view.state === 'live') this.#show('live');
    });
  }

  #show(state: TableView['state']): void {
    this.#view = {
      columns: this.#columns,
      rows: this.#rows.sorted,
      resourceVersion: this.#resourceVersion,
      state,
    };
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #with(query: string): string {
    const own = this.#query === '' ? '' : `${this.#query}&`;
    return `${this.#path}?${own}${query}`;
  }
}
