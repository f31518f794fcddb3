import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

/** What the columns of a table hold, in one row above it. */
export function HeadRow({ names }: { readonly names: readonly string[] }): ReactNode {
  return (
    <Table.Thead>
      <Table.Tr>
        {names.map((name) => (
          <Table.Th key={name}>{name}</Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
  );
}
