import { Badge, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { bytesText, coresText, countPhases, nodeLoads } from '../cluster/node-load.ts';
import type { NodeLoad } from '../cluster/node-load.ts';
import { NOTHING, POD_READING, sum } from '../cluster/pod-summary.ts';
import type { PodSummary } from '../cluster/pod-summary.ts';
import { useUsage } from '../cluster/use-usage.ts';
import type { TableView } from '../live/live-table.ts';
import { Refusals } from '../live/refusals.tsx';
import { StateBadge } from '../live/state-badge.tsx';
import { useObjects } from '../live/use-table.ts';
import { useMoment } from '../route/use-route.ts';
import { useText } from '../texts/use-text.ts';
import { Figure } from './figure.tsx';
import { NodeCard } from './node-card.tsx';
import { Warnings } from './warnings.tsx';

const PHASE_COLORS: ReadonlyMap<string, string> = new Map([
  ['Running', 'teal'],
  ['Succeeded', 'gray'],
  ['Pending', 'orange'],
  ['Failed', 'red'],
]);
const NODES_SHOWN = 200;

/** The cluster at a glance: nodes with what is asked of them and used, pods by phase, what went wrong lately. */
export function OverviewPage(): ReactNode {
  const text = useText();
  const isPast = useMoment() !== undefined;
  const nodes = useObjects('/api/v1/nodes');
  const pods = useObjects('/api/v1/pods', { reading: POD_READING });
  const usage = useUsage();
  const summaries = pods.objects as readonly PodSummary[];
  const loads = useMemo(
    () => nodeLoads(nodes.objects, summaries, isPast ? new Map() : usage),
    [nodes.objects, summaries, usage, isPast],
  );
  const total = loads.map(({ allocatable }) => allocatable).reduce(sum, NOTHING);
  const asked = loads.map(({ requests }) => requests).reduce(sum, NOTHING);
  const used = loads.some((load) => load.usage !== undefined)
    ? loads.map((load) => load.usage ?? NOTHING).reduce(sum, NOTHING)
    : undefined;
  // Of what is not for the viewer nothing is counted, which is not none.
  const told = (figure: string, { state }: TableView): string => (state === 'forbidden' ? '–' : figure);
  const ready = loads.filter(({ isReady }) => isReady).length;
  return (
    <Stack gap="md">
      <Group gap="sm">
        <Title order={1} size="h3">
          {text.overview}
        </Title>
        <StateBadge state={pods.state} />
      </Group>
      <Refusals views={{ [text.nodes]: nodes, [text.pods]: pods }} />
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
        <Figure title={text.nodes} value={told(`${ready} / ${loads.length}`, nodes)} hint={text.ready} />
        <Figure title={text.pods} value={told(String(summaries.length), pods)}>
          <Group gap={4}>
            {countPhases(summaries).map(([phase, count]) => (
              <Badge key={phase} variant="dot" color={PHASE_COLORS.get(phase) ?? 'gray'} tt="none">
                {phase} {count}
              </Badge>
            ))}
          </Group>
        </Figure>
        <Figure
          title={text.cpu}
          value={told(`${told(coresText(asked.milliCpu), pods)} / ${coresText(total.milliCpu)}`, nodes)}
          hint={`${text.requested}${used === undefined ? '' : `, ${text.used} ${coresText(used.milliCpu)}`}`}
        />
        <Figure
          title={text.memory}
          value={told(`${told(bytesText(asked.memoryBytes), pods)} / ${bytesText(total.memoryBytes)}`, nodes)}
          hint={`${text.requested}${used === undefined ? '' : `, ${text.used} ${bytesText(used.memoryBytes)}`}`}
        />
      </SimpleGrid>
      {nodes.state === 'forbidden' ? null : <NodeMap loads={loads} />}
      <Warnings />
    </Stack>
  );
}

function NodeMap({ loads }: { readonly loads: readonly NodeLoad[] }): ReactNode {
  const text = useText();
  return (
    <>
      <Title order={2} size="h4">
        {text.nodeMap}
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3, xl: 4 }}>
        {loads.slice(0, NODES_SHOWN).map((load) => (
          <NodeCard key={load.name} load={load} />
        ))}
      </SimpleGrid>
      {loads.length > NODES_SHOWN ? <Text c="dimmed">… {loads.length - NODES_SHOWN}</Text> : null}
    </>
  );
}
