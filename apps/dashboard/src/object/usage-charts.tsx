import { Card, Group, SimpleGrid, Text, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { pathOf } from '../api/discovery.ts';
import { fieldQuery } from '../api/field-query.ts';
import { ApiError, request } from '../api/request.ts';
import { bytesText, coresText } from '../cluster/node-load.ts';
import { amountOf, sum } from '../cluster/pod-summary.ts';
import type { Amount } from '../cluster/pod-summary.ts';
import { linePath, withSample } from '../cluster/usage-series.ts';
import type { UsageSample } from '../cluster/usage-series.ts';
import { useKinds } from '../kinds/use-kinds.ts';
import { useMoment } from '../route/use-route.ts';
import { useText } from '../texts/use-text.ts';
import type { TabProps } from './tab-props.ts';

const GROUP = 'metrics.k8s.io';
/** Figures cannot be watched: kubelets take them anew as often as this. */
const EVERY_MS = 15_000;
const BOX = { width: 240, height: 48 };

interface Figures {
  readonly metadata: { readonly name: string };
  readonly timestamp?: string;
  /** Of a node. */
  readonly usage?: { readonly [resource: string]: string };
  /** Of a pod. */
  readonly containers?: readonly { readonly usage?: { readonly [resource: string]: string } }[];
}

/** What an object uses, over the time that it is looked at; nothing where nobody measures its kind. */
export function UsageCharts({ kind, object }: TabProps): ReactNode {
  const text = useText();
  const isPast = useMoment() !== undefined;
  const measured = useKinds().find(({ group, resource }) => group === GROUP && resource === kind.resource);
  const { name, namespace = '' } = object.metadata;
  const isMeasured = kind.group === '' && measured !== undefined && !isPast;
  const series = useSeries(isMeasured ? pathOf(measured, { namespace }) : undefined, name);
  if (series.length === 0) return null;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <Chart title={text.cpu} series={series} valueOf={({ milliCpu }) => milliCpu} write={coresText} />
      <Chart title={text.memory} series={series} valueOf={({ memoryBytes }) => memoryBytes} write={bytesText} />
    </SimpleGrid>
  );
}

function useSeries(path: string | undefined, name: string): readonly UsageSample[] {
  const [series, setSeries] = useState<readonly UsageSample[]>([]);
  useEffect(() => {
    setSeries([]);
    if (path === undefined) return undefined;
    const gone = new AbortController();
    const read = (): void => {
      // As a list: of one that is not measured yet it is empty, where the object itself would be an error in the console.
      const query = fieldQuery({ 'metadata.name': name });
      request<{ readonly items?: readonly Figures[] }>({ path: `${path}?${query}`, signal: gone.signal }).then(
        ({ value: { items = [] } }) => {
          // Some servers take no selector here.
          const found = items.find(({ metadata }) => metadata.name === name);
          if (found !== undefined) setSeries((known) => withSample(known, sampleOf(found)));
        },
        (error: unknown) => {
          // Not for the viewer, or measured no more: what was seen before is old by then.
          if (!gone.signal.aborted && error instanceof ApiError) setSeries([]);
        },
      );
    };
    read();
    const timer = setInterval(read, EVERY_MS);
    return () => {
      gone.abort();
      clearInterval(timer);
    };
  }, [path, name]);
  return series;
}

function sampleOf({ timestamp = '', usage, containers = [] }: Figures): UsageSample {
  const atMs = Date.parse(timestamp);
  const amount = containers.map((one) => amountOf(one.usage)).reduce(sum, amountOf(usage));
  return { atMs: Number.isNaN(atMs) ? Date.now() : atMs, amount };
}

interface ChartProps {
  readonly title: string;
  readonly series: readonly UsageSample[];
  readonly valueOf: (amount: Amount) => number;
  readonly write: (value: number) => string;
}

function Chart({ title, series, valueOf, write }: ChartProps): ReactNode {
  const text = useText();
  const values = series.map(({ atMs, amount }) => ({ atMs, value: valueOf(amount) }));
  const last = values.at(-1)?.value ?? 0;
  const most = Math.max(...values.map(({ value }) => value));
  const told = `${title}: ${write(last)} ${text.used}, ≤ ${write(most)}`;
  return (
    <Card withBorder padding="sm" component="section" aria-label={`${title}, ${text.used}`}>
      <Group justify="space-between">
        <Title order={2} size="h6">
          {title}
        </Title>
        <Text size="sm" style={{ fontVariantNumeric: 'tabular-nums' }}>
          {write(last)}
        </Text>
      </Group>
      <svg
        viewBox={`-2 -2 ${BOX.width + 4} ${BOX.height + 4}`}
        width="100%"
        height={BOX.height}
        role="img"
        aria-label={told}
      >
        <path
          d={linePath(values, BOX)}
          fill="none"
          stroke="var(--mantine-primary-color-filled)"
          strokeWidth={2}
          strokeLinecap="round"
          vectorEffect="non-scaling-stroke"
        />
      </svg>
      <Text size="xs" c="dimmed">
        ≤ {write(most)}
      </Text>
    </Card>
  );
}
