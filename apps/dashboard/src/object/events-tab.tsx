import { Badge, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ageText } from '../lists/cell-text.ts';
import { useNow } from '../lists/use-now.ts';
import { useObjects } from '../live/use-table.ts';
import { useText } from '../texts/use-text.ts';
import { eventTimeOf } from './event-object.ts';
import type { EventObject } from './event-object.ts';
import type { TabProps } from './tab-props.ts';

/** What components told of the object, the latest first. */
export function EventsTab({ object }: TabProps): ReactNode {
  const text = useText();
  const nowMs = useNow();
  const { namespace = 'default', uid } = object.metadata;
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
  const { objects, state } = useObjects(path, {
    query: `fieldSelector=${encodeURIComponent(`involvedObject.uid=${uid}`)}`,
  });
  const events = (objects as readonly EventObject[]).toSorted((a, b) => eventTimeOf(b) - eventTimeOf(a));
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
                {ageText(eventTimeOf(event), nowMs)}
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
