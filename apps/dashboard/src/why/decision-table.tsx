import { Stack, Table, Text } from '@mantine/core';
import { pointsOf } from '@binnacle/trace';
import type { Decision } from '@binnacle/trace';
import type { ReactNode } from 'react';
import { useText } from '../texts/use-text.ts';
import { visible } from '../texts/visible.ts';

/** What the scheduler found: which nodes fell and why, and the points of those that did not. */
export function DecisionTable({ decision }: { readonly decision: Decision }): ReactNode {
  const text = useText();
  const { outcome, lacks, refused, scored, preemption } = decision;
  const plugins = [...new Set(scored.flatMap(({ by }) => Object.keys(by)))];
  return (
    <Stack gap="xs">
      <Text>{visible(outcome)}</Text>
      {lacks === undefined ? null : (
        <Text c="dimmed">{lacks === 'tooLarge' ? text.decisionTooLarge : text.decisionUnknown}</Text>
      )}
      {refused.map(({ plugin, reasons, nodes, names }, at) => (
        <Text key={at} size="sm">
          {plugin}: {reasons.join(', ')} ({nodes}: {names.slice(0, 10).join(', ')})
        </Text>
      ))}
      {preemption.map((line, at) => (
        <Text key={at} size="sm">
          {visible(line)}
        </Text>
      ))}
      {scored.length === 0 ? null : (
        <Table aria-label={text.scores}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text.node}</Table.Th>
              <Table.Th>{text.total}</Table.Th>
              {plugins.map((plugin) => (
                <Table.Th key={plugin}>{plugin}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {scored.map(({ node: name, total, by }, at) => (
              <Table.Tr key={at}>
                <Table.Td>{name}</Table.Td>
                <Table.Td>{total}</Table.Td>
                {plugins.map((plugin) => (
                  <Table.Td key={plugin}>{pointsOf(by, plugin)}</Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}
