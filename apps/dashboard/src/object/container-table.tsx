import { Badge, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { HeadRow } from '../lists/head-row.tsx';
import { useText } from '../texts/use-text.ts';
import { visible } from '../texts/visible.ts';
import type { ContainerRow } from './container-rows.ts';

/** The containers of a pod, each with how it stands; of a template, what they are. */
export function ContainerTable({ rows }: { readonly rows: readonly ContainerRow[] }): ReactNode {
  const text = useText();
  if (rows.length === 0) return null;
  const isOfPod = rows.some(({ status }) => status !== undefined);
  const heads = [text.container, text.image, ...(isOfPod ? [text.status, text.restarts] : [])];
  return (
    <Table.ScrollContainer minWidth={isOfPod ? 560 : 320}>
      <Table aria-label={text.containers}>
        <HeadRow names={heads} />
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={`${row.sort} ${row.name}`}>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                {row.name}{' '}
                {row.sort === 'main' ? null : (
                  <Text component="span" size="xs" c="dimmed">
                    {row.sort}
                  </Text>
                )}
              </Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{visible(row.image)}</Table.Td>
              {isOfPod ? <StatusCells row={row} /> : null}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function StatusCells({ row: { status, sort } }: { readonly row: ContainerRow }): ReactNode {
  if (status === undefined) {
    return (
      <>
        <Table.Td />
        <Table.Td />
      </>
    );
  }
  const { isReady, restarts, state, message, last } = status;
  const isDone = sort === 'init' && state.startsWith('Terminated: Completed');
  return (
    <>
      <Table.Td>
        <Badge variant="dot" color={isReady ? 'teal' : isDone ? 'gray' : 'orange'} tt="none" miw="max-content">
          {visible(state)}
        </Badge>
        {[message, last].map((told) =>
          told === '' ? null : (
            <Text key={told} size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {visible(told)}
            </Text>
          ),
        )}
      </Table.Td>
      <Table.Td>{restarts}</Table.Td>
    </>
  );
}
