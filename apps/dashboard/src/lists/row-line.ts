import type { Resource } from '../api/discovery.ts';
import type { Row } from '../live/rows.ts';
import type { Route } from '../route/route.ts';
import { addressOf } from '../route/use-route.ts';
import { ROW_HEIGHT } from './row-window.ts';
import { isCut, shownText } from './shown-columns.ts';
import type { ShownColumn } from './shown-columns.ts';

/** What the rows of a list say. */
export interface RowView {
  readonly kind: Resource;
  readonly rows: readonly Row[];
  readonly columns: readonly ShownColumn[];
  /** As of which ages are told; milliseconds since the epoch. */
  readonly nowMs: number;
  /** More rows are on their way. */
  readonly isLoading: boolean;
}

/** How rows look. */
export interface RowLook {
  readonly classes: { readonly [name: string]: string };
  /** An attribute of the links of rows. */
  readonly linkMark: string;
}

interface Cell {
  readonly element: Element;
  readonly node: Text;
  /** What it says, kept here: to ask the page costs more. */
  text: string;
  isCut: boolean;
}

/** The elements of one row: what they say is written over what they said. */
export class RowLine {
  readonly element: HTMLElement;
  readonly #cells: readonly Cell[];
  readonly #look: RowLook;
  #row: Row | undefined;
  #nowMs = 0;
  #at = -1;

  /** A copy of a pattern (`rowPattern`): less work than elements made one by one. */
  constructor(pattern: HTMLElement, look: RowLook) {
    this.#look = look;
    this.element = pattern.cloneNode(true) as HTMLElement;
    this.#cells = [...this.element.children].map((element) => ({
      element,
      node: (element.firstElementChild ?? element).firstChild as Text,
      text: '',
      isCut: false,
    }));
  }

  /** The row that it says, and where that is in the list. */
  get row(): Row | undefined {
    return this.#row;
  }

  get at(): number {
    return this.#at;
  }

  /** Says this row of a list. Touches what is not so yet, and nothing else. */
  write(at: number, { rows, columns, kind, nowMs }: RowView): void {
    const row = rows[at];
    if (row === undefined) return;
    const isNew = this.#row !== row;
    const isLater = this.#nowMs !== nowMs;
    for (const [place, cell] of this.#cells.entries()) {
      const column = columns[place];
      if (column !== undefined && (isNew || (isLater && column.isAge)))
        this.#say(cell, column, shownText(row, column, nowMs));
    }
    if (isNew) this.element.querySelector('a')?.setAttribute('href', addressOf(routeOf(kind, row)));
    if (this.#at !== at) {
      this.element.style.top = `${at * ROW_HEIGHT}px`;
      // The heads are the first row.
      this.element.setAttribute('aria-rowindex', String(at + 2));
    }
    this.#row = row;
    this.#nowMs = nowMs;
    this.#at = at;
  }

  /** What leads to the object has the focus. The list stays where it is. */
  focus(): void {
    this.element.querySelector('a')?.focus({ preventScroll: true });
  }

  #say(cell: Cell, column: ShownColumn, text: string): void {
    if (cell.text === text) return;
    cell.text = text;
    cell.node.data = text;
    const cut = isCut(text, column);
    if (cell.isCut === cut) return;
    cell.isCut = cut;
    cell.element.className = classOf(column, cut, this.#look);
  }
}

/** A row that says nothing yet. */
export function rowPattern(page: Document, columns: readonly ShownColumn[], look: RowLook): HTMLElement {
  const make = (tag: string, className: string, role?: string): HTMLElement => {
    const element = page.createElement(tag);
    element.className = className;
    if (role !== undefined) element.setAttribute('role', role);
    return element;
  };
  const pattern = make('div', look.classes['row'] ?? '', 'row');
  for (const column of columns) {
    const cell = make('div', classOf(column, false, look), 'cell');
    let holder = cell;
    if (column.at === 0) {
      holder = make('a', look.classes['link'] ?? '');
      holder.setAttribute(look.linkMark, '');
      cell.append(holder);
    }
    holder.append(page.createTextNode(''));
    pattern.append(cell);
  }
  return pattern;
}

/** Where a row's link leads. */
export function routeOf(kind: Resource, { object: { metadata } }: Row): Route {
  const { name, namespace = '' } = metadata;
  return { page: 'object', gvr: kind, namespace, name, tab: 'summary' };
}

function classOf({ at }: ShownColumn, cut: boolean, { classes }: RowLook): string {
  if (at === 0) return classes[cut ? 'cutName' : 'name'] ?? '';
  return classes[cut ? 'cut' : 'cell'] ?? '';
}
