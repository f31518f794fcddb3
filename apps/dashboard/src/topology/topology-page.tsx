import { Alert, Group, Stack, Text, Title } from '@mantine/core';
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { POD_READING } from '../cluster/pod-summary.ts';
import type { PodSummary } from '../cluster/pod-summary.ts';
import { NamespaceSelect } from '../lists/namespace-select.tsx';
import { Refusals } from '../live/refusals.tsx';
import { StateBadge } from '../live/state-badge.tsx';
import { useObjects } from '../live/use-table.ts';
import type { Route } from '../route/route.ts';
import { go } from '../route/use-route.ts';
import { useText } from '../texts/use-text.ts';
import { GraphPicture } from './graph-picture.tsx';
import { graphOf } from './graph.ts';
import type { LeftOut } from './graph.ts';

type TopologyRoute = Extract<Route, { readonly page: 'topology' }>;

/** Who is reached by what: Services, their slices, the pods behind them, the nodes below; and which policies guard whom. */
export function TopologyPage({ route }: { readonly route: TopologyRoute }): ReactNode {
  const text = useText();
  const place = route.namespace === '' ? '' : `/namespaces/${encodeURIComponent(route.namespace)}`;
  const services = useObjects(`/api/v1${place}/services`);
  const slices = useObjects(`/apis/discovery.k8s.io/v1${place}/endpointslices`);
  const pods = useObjects(`/api/v1${place}/pods`, { reading: POD_READING });
  const policies = useObjects(`/apis/networking.k8s.io/v1${place}/networkpolicies`);
  const nodes = useObjects('/api/v1/nodes');
  const graph = useMemo(
    () =>
      graphOf({
        services: services.objects,
        slices: slices.objects,
        pods: pods.objects as readonly PodSummary[],
        nodes: nodes.objects,
        policies: policies.objects,
      }),
    [services.objects, slices.objects, pods.objects, nodes.objects, policies.objects],
  );
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={1} size="h3">
            {text.topology}
          </Title>
          <StateBadge state={pods.state} />
        </Group>
        <NamespaceSelect
          value={route.namespace}
          onChange={(namespace) => go({ page: 'topology', namespace }, { replace: true })}
        />
      </Group>
      <Refusals
        views={{
          [text.services]: services,
          [text.slices]: slices,
          [text.pods]: pods,
          [text.policies]: policies,
          [text.nodes]: nodes,
        }}
      />
      <NotDrawn left={graph.left} />
      {graph.spots.length === 0 ? <Text c="dimmed">{text.nothing}</Text> : <GraphPicture graph={graph} />}
    </Stack>
  );
}

/** What the picture has no room for. */
function NotDrawn({ left }: { readonly left: LeftOut }): ReactNode {
  const text = useText();
  const named: readonly (readonly [name: string, count: number])[] = [
    [text.services, left.services],
    [text.policies, left.networkpolicies],
    [text.slices, left.endpointslices],
    [text.pods, left.pods],
    [text.lines, left.lines],
  ];
  const told = named.filter(([, count]) => count > 0).map(([name, count]) => `${name} ${count}`);
  return told.length === 0 ? null : (
    <Alert color="gray">
      {text.notDrawn} {told.join(', ')}
    </Alert>
  );
}
