import { Badge, Button, Card, Group, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { ageText } from '../lists/cell-text.ts';
import { useNow } from '../lists/use-now.ts';
import { PortLinks } from '../ports/port-links.tsx';
import { useRights } from '../rights/use-rights.ts';
import { useMoment } from '../route/use-route.ts';
import { useText } from '../texts/use-text.ts';
import { visible } from '../texts/visible.ts';
import { containerRows } from './container-rows.ts';
import { ContainerTable } from './container-table.tsx';
import { conditionsOf, contentsOf, factsOf, isGood, isSecret, metadataFacts } from './facts.ts';
import type { Condition, Fact } from './facts.ts';
import type { TabProps } from './tab-props.ts';
import { UsageCharts } from './usage-charts.tsx';

const LABELS_MAX = 100;

/** What an object is and how it stands, whatever its kind. */
export function SummaryTab({ kind, object }: TabProps): ReactNode {
  const text = useText();
  const conditions = conditionsOf(object);
  const { labels = {} } = object.metadata;
  return (
    <Stack gap="md">
      {conditions.length === 0 ? null : <Conditions conditions={conditions} />}
      {Object.keys(labels).length === 0 ? null : (
        <Group gap="xs">
          {Object.entries(labels)
            .slice(0, LABELS_MAX)
            .map(([key, value]) => (
              <Badge key={key} variant="default" tt="none">
                {visible(value === '' ? key : `${key}=${value}`)}
              </Badge>
            ))}
        </Group>
      )}
      <ContainerTable rows={containerRows(object)} />
      <UsageCharts kind={kind} object={object} />
      <ForwardedPorts kind={kind} object={object} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Facts title={text.wanted} facts={factsOf(object['spec'])} />
        <Facts title={text.status} facts={factsOf(object['status'])} />
        <Contents object={object} />
        <Facts title={text.metadata} facts={metadataFacts(object)} />
      </SimpleGrid>
    </Stack>
  );
}

/** Where the API forwards ports and the viewer may have it do so. */
function ForwardedPorts({ kind, object }: TabProps): ReactNode {
  const { group, resource, subresources } = kind;
  const rights = useRights(object.metadata.namespace ?? '');
  const isPast = useMoment() !== undefined;
  if (isPast || !subresources.includes('portforward')) return null;
  if (!rights({ verb: 'create', group, resource, subresource: 'portforward' })) return null;
  return <PortLinks kind={kind} object={object} />;
}

/** What it says outside of its spec and status; what is secret when somebody wants to see it. */
function Contents({ object }: Pick<TabProps, 'object'>): ReactNode {
  const text = useText();
  const [isRevealed, setRevealed] = useState(false);
  const toggle = (
    <Button size="compact-xs" variant="default" aria-pressed={isRevealed} onClick={() => setRevealed(!isRevealed)}>
      {text.reveal}
    </Button>
  );
  return (
    <Facts
      title={text.contents}
      facts={contentsOf(object, isRevealed)}
      beside={isSecret(object) ? toggle : undefined}
    />
  );
}

interface FactsProps {
  readonly title: string;
  readonly facts: readonly Fact[];
  readonly beside?: ReactNode;
}

function Facts({ title, facts, beside }: FactsProps): ReactNode {
  if (facts.length === 0) return null;
  return (
    <Card withBorder>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {title}
        </Title>
        {beside}
      </Group>
      <Table withRowBorders={false} verticalSpacing={2}>
        <Table.Tbody>
          {facts.map(({ name, value }) => (
            <Table.Tr key={name}>
              <Table.Th w="40%" fw={400} c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {name}
              </Table.Th>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}

function Conditions({ conditions }: { readonly conditions: readonly Condition[] }): ReactNode {
  const text = useText();
  const nowMs = useNow();
  return (
    <Table aria-label={text.conditions}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{text.condition}</Table.Th>
          <Table.Th>{text.status}</Table.Th>
          <Table.Th style={{ whiteSpace: 'nowrap' }}>{text.since}</Table.Th>
          <Table.Th>{text.reason}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {conditions.map((condition) => (
          <Table.Tr key={condition.type}>
            <Table.Td>{condition.type}</Table.Td>
            <Table.Td>
              <Badge color={colorOf(isGood(condition))} variant="dot" miw="max-content">
                {condition.status}
              </Badge>
            </Table.Td>
            <Table.Td>
              {condition.lastTransitionTime === undefined
                ? ''
                : ageText(Date.parse(condition.lastTransitionTime), nowMs)}
            </Table.Td>
            <Table.Td>
              {condition.reason}{' '}
              <Text component="span" size="sm" c="dimmed">
                {condition.message}
              </Text>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function colorOf(good: boolean | undefined): string {
  if (good === undefined) return 'gray';
  return good ? 'teal' : 'red';
}
