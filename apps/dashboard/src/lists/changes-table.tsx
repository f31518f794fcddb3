import { Badge, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { ObjectDiff } from '../history/diff-view.tsx';
import type { ApiObject } from '../live/rows.ts';
import { Refusals } from '../live/refusals.tsx';
import { StateBadge } from '../live/state-badge.tsx';
import { useObjects } from '../live/use-table.ts';
import { useText } from '../texts/use-text.ts';
import { changesOf, lackingOf } from './changes.ts';

const SHOWN_MAX = 500;
const COLORS = { '+': 'teal', '-': 'red', '~': 'orange' } as const;

interface ChangesTableProps {
  readonly path: string;
  readonly query: string;
  /** The revision from which on. */
  readonly since: string;
  readonly label: string;
}

/** What of a list changed between a revision and the moment that is looked at. */
export function ChangesTable({ path, query, since, label }: ChangesTableProps): ReactNode {
  const text = useText();
  const before = useObjects(path, { query, at: since });
  const after = useObjects(path, { query });
  const changes = useMemo(() => changesOf(before.objects, after.objects), [before.objects, after.objects]);
  const [open, setOpen] = useState<ApiObject>();
  const lacking = lackingOf([before, after]);
  if (lacking?.state === 'compacted' || lacking?.state === 'timeless') return <StateBadge state={lacking.state} />;
  if (lacking?.state === 'loading') return <Text c="dimmed">{text.loading}</Text>;
  if (lacking !== undefined) return <Refusals views={{ [label]: lacking }} />;
  if (changes.length === 0) return <Text c="dimmed">{text.noDifference}</Text>;
  return (
    <Stack gap="xs" style={{ overflow: 'auto' }}>
      <Table aria-label={label}>
        <Table.Tbody>
          {changes.slice(0, SHOWN_MAX).map((change) => {
            const { metadata } = change.object;
            const isOpen = open === change.object;
            return (
              <Table.Tr key={`${change.sign} ${metadata.uid ?? metadata.name}`}>
                <Table.Td>
                  <Group gap="sm">
                    <Badge color={COLORS[change.sign]} variant="dot">
                      {change.sign}
                    </Badge>
                    <Button
                      size="compact-sm"
                      variant="subtle"
                      aria-expanded={isOpen}
                      onClick={() => setOpen(isOpen ? undefined : change.object)}
                    >
                      {metadata.namespace === undefined ? '' : `${metadata.namespace}/`}
                      {metadata.name}
                    </Button>
                  </Group>
                  {isOpen ? <ObjectDiff before={change.before} after={change.after} /> : null}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
      {changes.length > SHOWN_MAX ? <Text c="dimmed">… {changes.length - SHOWN_MAX}</Text> : null}
    </Stack>
  );
}
