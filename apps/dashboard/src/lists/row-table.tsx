import { Text, UnstyledButton } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useMemo, useRef } from 'react';
import type { CSSProperties, ReactNode } from 'react';
import type { Resource } from '../api/discovery.ts';
import { identityOf } from '../live/rows.ts';
import type { Column, Row } from '../live/rows.ts';
import { follow } from '../route/link.tsx';
import type { Route } from '../route/route.ts';
import { addressOf } from '../route/use-route.ts';
import { useText } from '../texts/use-text.ts';
import { ageText, cellText } from './cell-text.ts';
import classes from './row-table.module.css';
import { nextSort, readOrder } from './sort-rows.ts';
import { useNow } from './use-now.ts';

const ROW_HEIGHT = 34;
const HEAD_HEIGHT = 36;

interface RowTableProps {
  readonly kind: Resource;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly isLoading: boolean;
  /** Of several namespaces each row says its own. */
  readonly isOfSeveral: boolean;
  /** With the columns that are of less use. */
  readonly isWide: boolean;
  /** In which order the rows are, as addresses say it. */
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

interface ShownColumn {
  readonly name: string;
  /** Of a row's cells; -1: its namespace. */
  readonly at: number;
  readonly isAge: boolean;
}

/** Only the rows that can be seen are drawn: tens of thousands scroll as smoothly as ten. */
export function RowTable(props: RowTableProps): ReactNode {
  const { kind, columns, rows, isLoading, isOfSeveral, isWide } = props;
  const text = useText();
  const nowMs = useNow();
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 6,
    useFlushSync: false,
    paddingStart: HEAD_HEIGHT,
  });
  const shown = useMemo(
    () => [
      ...(kind.namespaced && isOfSeveral ? [namespaceColumn(text.namespace)] : []),
      ...shownColumns(columns, isWide),
    ],
    [columns, kind.namespaced, isOfSeveral, isWide, text.namespace],
  );
  const template = shown.map(({ at }) => (at === 0 ? 'minmax(16rem, 2fr)' : 'minmax(6rem, 1fr)')).join(' ');
  if (rows.length === 0) return <Text c="dimmed">{isLoading ? text.loading : text.nothing}</Text>;
  return (
    <div
      ref={scroll}
      className={classes['scroll']}
      role="table"
      aria-rowcount={rows.length + 1}
      tabIndex={0}
      aria-label={kind.kind}
    >
      <div
        className={classes['grid']}
        style={{ height: virtual.getTotalSize(), '--columns': template } as CSSProperties}
        role="rowgroup"
      >
        <div className={classes['head']} role="row" aria-rowindex={1}>
          {shown.map((column) => (
            <ColumnHead key={column.at} column={column} sort={props.sort} onSort={props.onSort} />
          ))}
        </div>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const { metadata } = row.object;
          return (
            <RowLine
              key={identityOf(metadata)}
              row={row}
              kind={kind}
              shown={shown}
              at={index}
              top={start - HEAD_HEIGHT}
              nowMs={nowMs}
            />
          );
        })}
      </div>
    </div>
  );
}

function shownColumns(columns: readonly Column[], isWide: boolean): readonly ShownColumn[] {
  return columns.flatMap(({ name, priority }, at) =>
    priority > 0 && !isWide ? [] : [{ name, at, isAge: name === 'Age' }],
  );
}

function namespaceColumn(name: string): ShownColumn {
  return { name, at: -1, isAge: false };
}

interface ColumnHeadProps extends Pick<RowTableProps, 'sort' | 'onSort'> {
  readonly column: ShownColumn;
}

/** A click puts the rows into the order of the column, a further one turns it, one more takes it back. */
function ColumnHead({ column: { name, at }, sort, onSort }: ColumnHeadProps): ReactNode {
  const order = readOrder(sort);
  const isSorted = order?.column === name;
  const turned = isSorted ? (order.isDown ? 'descending' : 'ascending') : 'none';
  // Rows are in the order of their namespaces unless another one is wanted.
  if (at === -1) {
    return (
      <div role="columnheader" className={classes['cell']}>
        {name}
      </div>
    );
  }
  return (
    <div role="columnheader" aria-sort={turned} className={classes['cell']}>
      <UnstyledButton className={classes['sort']} onClick={() => onSort(nextSort(sort, name))}>
        {name}
        {isSorted ? <span aria-hidden>{order.isDown ? ' ▾' : ' ▴'}</span> : null}
      </UnstyledButton>
    </div>
  );
}

interface RowLineProps {
  readonly row: Row;
  readonly kind: Resource;
  readonly shown: readonly ShownColumn[];
  readonly at: number;
  readonly top: number;
  readonly nowMs: number;
}

/** Drawn again only when something of it changes: scrolling draws those that come, not those that stay. */
const RowLine = memo(function RowLine({ row, kind, shown, at, top, nowMs }: RowLineProps): ReactNode {
  return (
    <div className={classes['row']} style={{ transform: `translateY(${top}px)` }} role="row" aria-rowindex={at + 2}>
      {shown.map((column) => (
        <div key={column.at} role="cell" className={classes['cell']}>
          {cellOf(column, { row, kind, nowMs })}
        </div>
      ))}
    </div>
  );
});

interface CellOf {
  readonly row: Row;
  readonly kind: Resource;
  readonly nowMs: number;
}

/** No component: hundreds of cells come and go with every frame while somebody scrolls. */
function cellOf(column: ShownColumn, { row, kind, nowMs }: CellOf): ReactNode {
  const { name, namespace = '', creationTimestamp } = row.object.metadata;
  if (column.at === -1) return namespace;
  if (column.isAge && creationTimestamp !== undefined) return ageText(Date.parse(creationTimestamp), nowMs);
  const shown = cellText(row.cells[column.at]);
  if (column.at !== 0) return shown;
  const to: Route = { page: 'object', gvr: kind, namespace, name, tab: 'summary' };
  // A plain link, for the same reason.
  return (
    <a href={addressOf(to)} onClick={(event) => follow(event, to)} className={classes['link']} data-row-link>
      {shown}
    </a>
  );
}
