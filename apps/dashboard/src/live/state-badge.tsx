import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../texts/use-text.ts';
import type { TableView } from './live-table.ts';

const COLORS = {
  loading: 'gray',
  live: 'teal',
  read: 'gray',
  broken: 'red',
  compacted: 'orange',
  timeless: 'orange',
  forbidden: 'orange',
} as const;

/** Whether what is shown is true at this moment. */
export function StateBadge({ state }: Pick<TableView, 'state'>): ReactNode {
  const text = useText();
  return (
    <Badge color={COLORS[state]} variant="dot">
      {text[state]}
    </Badge>
  );
}
