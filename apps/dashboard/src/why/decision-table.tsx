import { Stack, Table, Text } from '@mantine/core';
import { pointsOf } from '@binnacle/trace';
import type { PodExplanation } from '@binnacle/trace';
import type { ReactNode } from 'react';
import { useText } from '../texts/use-text.ts';

/** What the scheduler found: which nodes fell and why, and the points of those that did not. */
export function DecisionTable({ explanation }: { readonly explanation: PodExplanation }): ReactNode {
  const text = useText();
  const { node, message, refused, scored } = explanation;
  const plugins = [...new Set(scored.flatMap(({ by }) => Object.keys(by)))];
  return (
    <Stack gap="xs">
      <Text>{node ?? message}</Text>
      {refused.map(({ plugin, reasons, nodes, names }) => (
        <Text key={plugin + reasons.join()} size="sm">
          {plugin}: {reasons.join(', ')} ({nodes}: {names.slice(0, 10).join(', ')})
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
            {scored.map(({ node: name, total, by }) => (
              <Table.Tr key={name}>
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
