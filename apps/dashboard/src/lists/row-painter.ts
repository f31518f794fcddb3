import { identityOf } from '../live/rows.ts';
import type { Row } from '../live/rows.ts';
import { pathOf } from '../api/discovery.ts';
import { follow } from '../route/link.tsx';
import { leftRows } from './left-rows.ts';
import type { LeftRow } from './left-rows.ts';
import { routeOf, RowLine, rowPattern } from './row-line.ts';
import type { RowLook, RowView } from './row-line.ts';
import { drawnRows, ROW_HEIGHT, rowWindow } from './row-window.ts';
import { stayers } from './stayers.ts';

/** How long a list must stand still to be put in order. */
const STILL_MS = 150;

/** Where rows are drawn, and how they look. */
export interface RowPlace extends RowLook {
  /** What scrolls. */
  readonly scroll: HTMLElement;
  /** What holds the rows and nothing else. */
  readonly body: HTMLElement;
}

/**
 * Draws the rows that can be seen, within the event that scrolls: no frame shows less than is there. By hand, as hundreds of
 * cells come and go with every frame: elements of rows that are gone say those that come, where they stand. For those who
 * hear a page or walk through it they are in the order of the rows as soon as the list stands still, and before any key does
 * anything. A row that has the focus stays, and its neighbours are where keys lead from it, however far the list is scrolled;
 * where it is gone, the row in its place has the focus.
 */
export class RowPainter {
  readonly #place: RowPlace;
  readonly #sizes: ResizeObserver;
  readonly #onClick = (event: MouseEvent): void => this.#follow(event);
  readonly #onKey = (): void => {
    this.#left = undefined;
    this.#settle();
  };
  readonly #onScroll = (): void => {
    this.#left = undefined;
    this.#draw();
    clearTimeout(this.#still);
    this.#still = setTimeout(() => this.#settle(), STILL_MS);
  };
  #view: RowView | undefined;
  #pattern: HTMLElement | undefined;
  #height: number;
  #lines = new Map<string, RowLine>();
  /** Where the list was left; undefined: nowhere, or somebody is somewhere else by now. */
  #left: LeftRow | undefined;
  /** Runs while the list is scrolled. */
  #still: ReturnType<typeof setTimeout> | undefined;

  constructor(place: RowPlace) {
    this.#place = place;
    const { scroll, body } = place;
    this.#height = scroll.clientHeight;
    this.#sizes = new ResizeObserver(() => {
      if (this.#height === scroll.clientHeight) return;
      this.#height = scroll.clientHeight;
      this.#draw();
      this.#settle();
    });
    this.#sizes.observe(scroll);
    scroll.addEventListener('scroll', this.#onScroll, { passive: true });
    body.addEventListener('click', this.#onClick);
    addEventListener('keydown', this.#onKey, { capture: true });
  }

  /** From now on these rows are there. */
  show(view: RowView): void {
    const held = this.#held();
    if (view.columns !== this.#view?.columns) this.#clear();
    if (this.#view === undefined) this.#left = leftRows.get(pathOf(view.kind));
    this.#view = view;
    this.#draw(held);
    this.#comeBack(view);
    if (this.#still === undefined) this.#settle();
  }

  /** Nothing is drawn any more. */
  stop(): void {
    const { scroll, body } = this.#place;
    const held = this.#held();
    if (held !== undefined && this.#view !== undefined) {
      const { identity, line } = held;
      leftRows.set(pathOf(this.#view.kind), { identity, offset: line.at * ROW_HEIGHT - scroll.scrollTop });
    }
    this.#clear();
    this.#view = undefined;
    clearTimeout(this.#still);
    this.#still = undefined;
    this.#sizes.disconnect();
    scroll.removeEventListener('scroll', this.#onScroll);
    body.removeEventListener('click', this.#onClick);
    removeEventListener('keydown', this.#onKey, { capture: true });
  }

  #clear(): void {
    this.#place.body.replaceChildren();
    this.#lines.clear();
    this.#pattern = undefined;
  }

  /** To the row where the list was left, as soon as it has been read; it may be there no more. */
  #comeBack({ kind, rows, isLoading }: RowView): void {
    if (this.#left === undefined) return;
    const { identity, offset } = this.#left;
    const at = placeAmong(rows, identity);
    if (at === -1 && isLoading) return;
    this.#left = undefined;
    leftRows.delete(pathOf(kind));
    if (at === -1) return;
    const { scroll, body } = this.#place;
    scroll.scrollTop = at * ROW_HEIGHT - offset;
    const { activeElement } = body.ownerDocument;
    // It may be at what the list is in, where who came by keys has it.
    const isFree = activeElement === null || activeElement.contains(body);
    this.#draw();
    if (isFree) this.#lines.get(identity)?.focus();
  }

  #draw(held = this.#held()): void {
    const view = this.#view;
    if (view === undefined) return;
    const { scroll, body } = this.#place;
    const { rows } = view;
    const heldAt = held === undefined ? -1 : placeOf(held, rows);
    const part = { top: scroll.scrollTop, height: this.#height };
    const wanted = new Map<string, number>();
    for (const at of drawnRows(rowWindow(rows.length, part), { count: rows.length, held: heldAt }))
      wanted.set(identityAt(rows, at), at);
    const free = this.#takeAway(wanted, held);
    const drawn = new Map<string, RowLine>();
    for (const [identity, at] of wanted) {
      const line = this.#lines.get(identity) ?? free.pop() ?? this.#newLine(view);
      line.write(at, view);
      if (line.element.parentNode !== body) body.append(line.element);
      drawn.set(identity, line);
    }
    for (const { element } of free) element.remove();
    this.#lines = drawn;
    if (held === undefined) return;
    const holder = drawn.get(identityAt(rows, heldAt));
    if (holder !== held.line) holder?.focus();
  }

  /** The row that has the focus. */
  #held(): Held | undefined {
    const { body } = this.#place;
    const { activeElement } = body.ownerDocument;
    if (activeElement === null || !body.contains(activeElement)) return undefined;
    for (const [identity, line] of this.#lines) if (line.element.contains(activeElement)) return { identity, line };
    return undefined;
  }

  /** Lines whose rows are not wanted. One with the focus is nobody else's: what has it would be another object. */
  #takeAway(wanted: ReadonlyMap<string, number>, held: Held | undefined): RowLine[] {
    const free: RowLine[] = [];
    for (const [identity, line] of this.#lines) {
      if (wanted.has(identity)) continue;
      if (line === held?.line) line.element.remove();
      else free.push(line);
    }
    return free;
  }

  #newLine({ columns }: RowView): RowLine {
    this.#pattern ??= rowPattern(this.#place.body.ownerDocument, columns, this.#place);
    return new RowLine(this.#pattern, this.#place);
  }

  #settle(): void {
    clearTimeout(this.#still);
    this.#still = undefined;
    const { body } = this.#place;
    const ordered = [...this.#lines.values()].map(({ element }) => element);
    // What is moved loses the focus.
    const staying = stayers([...body.children], ordered, this.#held()?.line.element);
    let next: Element | null = null;
    for (const element of ordered.toReversed()) {
      if (!staying.has(element)) body.insertBefore(element, next);
      next = element;
    }
  }

  #follow(event: MouseEvent): void {
    const { target } = event;
    if (this.#view === undefined || !(target instanceof Node)) return;
    const line = [...this.#lines.values()].find(({ element }) => element.querySelector('a')?.contains(target));
    if (line?.row !== undefined) follow(event, routeOf(this.#view.kind, line.row));
  }
}

interface Held {
  readonly identity: string;
  readonly line: RowLine;
}

/** Where the row is now; where it is gone, the one in its place. */
function placeOf({ identity, line: { at, row } }: Held, rows: readonly Row[]): number {
  if (rows[at] === row) return at;
  const now = placeAmong(rows, identity);
  return now === -1 ? Math.min(at, rows.length - 1) : now;
}

/** -1: not there. */
function placeAmong(rows: readonly Row[], identity: string): number {
  return rows.findIndex(({ object }) => identityOf(object.metadata) === identity);
}

function identityAt(rows: readonly Row[], at: number): string {
  const row = rows[at];
  return row === undefined ? '' : identityOf(row.object.metadata);
}
