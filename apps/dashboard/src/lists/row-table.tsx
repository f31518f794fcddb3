import { Text, UnstyledButton } from '@mantine/core';
import { useLayoutEffect, useMemo, useRef } from 'react';
import type { ReactNode } from 'react';
import type { Resource } from '../api/discovery.ts';
import { ROW_LINK } from '../keys/use-keys.ts';
import type { Column, Row } from '../live/rows.ts';
import { useText } from '../texts/use-text.ts';
import { visible } from '../texts/visible.ts';
import { RowPainter } from './row-painter.ts';
import classes from './row-table.module.css';
import { ROW_HEIGHT } from './row-window.ts';
import { NAMESPACE, shownColumns } from './shown-columns.ts';
import type { ShownColumn } from './shown-columns.ts';
import { nextSort, readOrder } from './sort-rows.ts';
import { useNow } from './use-now.ts';

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

/** Only the rows that can be seen are drawn: tens of thousands scroll as smoothly as ten. */
export function RowTable(props: RowTableProps): ReactNode {
  const text = useText();
  if (props.rows.length === 0) return <Text c="dimmed">{props.isLoading ? text.loading : text.nothing}</Text>;
  return <FullTable {...props} />;
}

function FullTable({ kind, columns, rows, isLoading, isOfSeveral, isWide, sort, onSort }: RowTableProps): ReactNode {
  const text = useText();
  const nowMs = useNow();
  const scroll = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const painter = useRef<RowPainter>(undefined);
  const namespace = kind.namespaced && isOfSeveral ? text.namespace : undefined;
  const shown = useMemo(() => shownColumns(columns, { isWide, namespace }), [columns, isWide, namespace]);
  useLayoutEffect(() => {
    if (scroll.current === null || body.current === null) return undefined;
    const place = { scroll: scroll.current, body: body.current, classes, linkMark: ROW_LINK };
    const mine = new RowPainter(place);
    painter.current = mine;
    return () => mine.stop();
  }, []);
  useLayoutEffect(
    () => painter.current?.show({ kind, rows, columns: shown, nowMs, isLoading }),
    [kind, rows, shown, nowMs, isLoading],
  );
  return (
    <div
      ref={scroll}
      className={classes['scroll']}
      role="table"
      aria-rowcount={rows.length + 1}
      tabIndex={0}
      aria-label={kind.kind}
    >
      <div className={classes['grid']}>
        <div className={classes['head']} role="row" aria-rowindex={1}>
          {shown.map((column) => (
            <ColumnHead key={column.at} column={column} sort={sort} onSort={onSort} />
          ))}
        </div>
        <div ref={body} className={classes['body']} style={{ height: rows.length * ROW_HEIGHT }} role="rowgroup" />
      </div>
    </div>
  );
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
  if (at === NAMESPACE) {
    return (
      <div role="columnheader" className={classes['cut']}>
        {name}
      </div>
    );
  }
  return (
    <div role="columnheader" aria-sort={turned} className={classes[at === 0 ? 'cutName' : 'cut']}>
      <UnstyledButton className={classes['sort']} onClick={() => onSort(nextSort(sort, name))}>
        {visible(name)}
        {isSorted ? <span aria-hidden>{order.isDown ? ' ▾' : ' ▴'}</span> : null}
      </UnstyledButton>
    </div>
  );
}
