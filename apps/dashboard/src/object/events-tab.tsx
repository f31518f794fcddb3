import { Badge, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { fieldQuery } from '../api/field-query.ts';
import { ageText } from '../lists/cell-text.ts';
import { HeadRow } from '../lists/head-row.tsx';
import { useNow } from '../lists/use-now.ts';
import { Refusals } from '../live/refusals.tsx';
import { useObjects } from '../live/use-table.ts';
import { useText } from '../texts/use-text.ts';
import { visible } from '../texts/visible.ts';
import { eventTimeOf, isAbout } from './event-object.ts';
import type { EventObject } from './event-object.ts';
import type { TabProps } from './tab-props.ts';

/** So many of the latest are shown. */
const EVENTS_MAX = 500;

/** What components told of the object, the latest first. */
export function EventsTab({ kind, object }: TabProps): ReactNode {
  const text = useText();
  const nowMs = useNow();
  const { namespace = 'default', name } = object.metadata;
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
  const view = useObjects(path, {
    query: fieldQuery({ 'involvedObject.kind': kind.kind, 'involvedObject.name': name }),
  });
  const about = (view.objects as readonly EventObject[]).filter((event) => isAbout(event, object));
  const events = about.toSorted((a, b) => eventTimeOf(b) - eventTimeOf(a)).slice(0, EVENTS_MAX);
  // What is not for the viewer, or did not come, is not nothing.
  if (events.length === 0 && (view.state === 'forbidden' || view.state === 'broken'))
    return <Refusals views={{ [text.events]: view }} />;
  if (events.length === 0) return <Text c="dimmed">{view.state === 'loading' ? text.loading : text.nothing}</Text>;
  return (
    <Table aria-label={text.events}>
      <HeadRow names={[text.age, text.type, text.reason, text.from, text.message]} />
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
              <Table.Td>{visible(event.reason ?? '')}</Table.Td>
              <Table.Td>{visible(event.reportingComponent || (event.source?.component ?? ''))}</Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{visible(event.message ?? '')}</Table.Td>
            </Table.Tr>
          );
        })}
      </Table.Tbody>
    </Table>
  );
}
