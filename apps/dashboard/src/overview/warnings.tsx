import { Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useKinds } from '../kinds/use-kinds.ts';
import { ageText } from '../lists/cell-text.ts';
import { HeadRow } from '../lists/head-row.tsx';
import { useNow } from '../lists/use-now.ts';
import { useObjects } from '../live/use-table.ts';
import { eventTimeOf } from '../object/event-object.ts';
import type { EventObject } from '../object/event-object.ts';
import { Link } from '../route/link.tsx';
import { useText } from '../texts/use-text.ts';
import { visible } from '../texts/visible.ts';

const SHOWN = 20;

/** What components warned of, the latest first. */
export function Warnings(): ReactNode {
  const text = useText();
  const nowMs = useNow();
  const { objects, state } = useObjects('/api/v1/events', { query: 'fieldSelector=type%3DWarning' });
  const events = (objects as readonly EventObject[])
    .toSorted((a, b) => eventTimeOf(b) - eventTimeOf(a))
    .slice(0, SHOWN);
  if (state === 'forbidden') return null;
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {text.warnings}
      </Title>
      {events.length === 0 ? (
        <Text c="dimmed">{state === 'loading' ? text.loading : text.nothing}</Text>
      ) : (
        <Table.ScrollContainer minWidth={600}>
          <Table aria-label={text.warnings}>
            <HeadRow names={[text.age, text.object, text.reason, text.message]} />
            <Table.Tbody>
              {events.map((event) => (
                <Table.Tr key={event.metadata.uid}>
                  <Table.Td>{ageText(eventTimeOf(event), nowMs)}</Table.Td>
                  <Table.Td>
                    <Subject event={event} />
                  </Table.Td>
                  <Table.Td>{visible(event.reason ?? '')}</Table.Td>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{visible(event.message ?? '')}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Stack>
  );
}

function Subject({ event: { involvedObject = {} } }: { readonly event: EventObject }): ReactNode {
  const { kind = '', name = '', namespace = '', apiVersion = '' } = involvedObject;
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  const known = useKinds().find((one) => one.kind === kind && one.group === group);
  const label = visible(`${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`);
  if (known === undefined) return label;
  return <Link to={{ page: 'object', gvr: known, namespace, name, tab: 'events' }}>{label}</Link>;
}
