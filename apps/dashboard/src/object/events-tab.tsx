import { Badge, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ageText } from '../lists/cell-text.ts';
import { useNow } from '../lists/use-now.ts';
import type { ApiObject } from '../live/rows.ts';
import { useObjects } from '../live/use-table.ts';
import { useText } from '../texts/use-text.ts';
import type { TabProps } from './tab-props.ts';

interface EventObject extends ApiObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly lastTimestamp?: string;
  readonly eventTime?: string;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly source?: { readonly component?: string };
  readonly reportingComponent?: string;
}

/** What components told of the object, the latest first. */
export function EventsTab({ object }: TabProps): ReactNode {
  const text = useText();
  const nowMs = useNow();
  const { namespace = 'default', uid } = object.metadata;
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
  const { objects, state } = useObjects(path, {
    query: `fieldSelector=${encodeURIComponent(`involvedObject.uid=${uid}`)}`,
  });
  const events = (objects as readonly EventObject[]).toSorted((a, b) => timeOf(b) - timeOf(a));
  if (events.length === 0) return <Text c="dimmed">{state === 'loading' ? text.loading : text.nothing}</Text>;
  return (
    <Table aria-label={text.events}>
      <Table.Thead>
        <Table.Tr>
          {[text.age, text.type, text.reason, text.from, text.message].map((name) => (
            <Table.Th key={name}>{name}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {events.map((event) => {
          const count = event.series?.count ?? event.count ?? 1;
          return (
            <Table.Tr key={event.metadata.uid}>
              <Table.Td>
                {ageText(timeOf(event), nowMs)}
                {count > 1 ? ` (×${count})` : ''}
              </Table.Td>
              <Table.Td>
                <Badge color={event.type === 'Warning' ? 'orange' : 'gray'} variant="dot">
                  {event.type}
                </Badge>
              </Table.Td>
              <Table.Td>{event.reason}</Table.Td>
              <Table.Td>{event.reportingComponent || event.source?.component}</Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{event.message}</Table.Td>
            </Table.Tr>
          );
        })}
      </Table.Tbody>
    </Table>
  );
}

function timeOf({ series, lastTimestamp, eventTime, metadata }: EventObject): number {
  return Date.parse(series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '');
}
