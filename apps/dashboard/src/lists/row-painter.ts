import { identityOf } from '../live/rows.ts';
import type { Row } from '../live/rows.ts';
import { follow } from '../route/link.tsx';
import { routeOf, RowLine, rowPattern } from './row-line.ts';
import type { RowLook, RowView } from './row-line.ts';
import { rowWindow } from './row-window.ts';
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
 * anything. A row that has the focus stays, however far the list is scrolled.
 */
export class RowPainter {
  readonly #place: RowPlace;
  readonly #sizes: ResizeObserver;
  readonly #onClick = (event: MouseEvent): void => this.#follow(event);
  readonly #onKey = (): void => this.#settle();
  readonly #onScroll = (): void => {
    this.#draw();
    clearTimeout(this.#still);
    this.#still = setTimeout(() => this.#settle(), STILL_MS);
  };
  #view: RowView | undefined;
  #pattern: HTMLElement | undefined;
  #height: number;
  #lines = new Map<string, RowLine>();
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
    if (view.columns !== this.#view?.columns) this.#clear();
    this.#view = view;
    this.#draw();
    if (this.#still === undefined) this.#settle();
  }

  /** Nothing is drawn any more. */
  stop(): void {
    const { scroll, body } = this.#place;
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

  #draw(): void {
    const view = this.#view;
    if (view === undefined) return;
    const { scroll, body } = this.#place;
    const held = this.#held();
    const wanted = new Map<string, number>();
    for (const at of this.#wanted(view.rows, { top: scroll.scrollTop, held }))
      wanted.set(identityAt(view.rows, at), at);
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
  }

  /** Numbers of rows, ascending: those in sight, and the one that has the focus, wherever it is. */
  #wanted(rows: readonly Row[], { top, held }: { readonly top: number; readonly held: Held | undefined }): number[] {
    const { from, to } = rowWindow(rows.length, { top, height: this.#height });
    const wanted = Array.from({ length: to - from }, (_, more) => from + more);
    if (held === undefined) return wanted;
    const { identity, line } = held;
    const at =
      rows[line.at] === line.row ? line.at : rows.findIndex((row) => identityOf(row.object.metadata) === identity);
    if (at !== -1 && at < from) wanted.unshift(at);
    if (at >= to) wanted.push(at);
    return wanted;
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

function identityAt(rows: readonly Row[], at: number): string {
  const row = rows[at];
  return row === undefined ? '' : identityOf(row.object.metadata);
}
