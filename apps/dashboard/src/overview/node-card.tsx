import { Badge, Card, Group, Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { bytesText, coresText } from '../cluster/node-load.ts';
import type { NodeLoad } from '../cluster/node-load.ts';
import type { PodSummary } from '../cluster/pod-summary.ts';
import { follow, Link } from '../route/link.tsx';
import type { Route } from '../route/route.ts';
import { addressOf } from '../route/use-route.ts';
import { useText } from '../texts/use-text.ts';
import classes from './node-card.module.css';

const NODES = { group: '', version: 'v1', resource: 'nodes' };
const PODS = { group: '', version: 'v1', resource: 'pods' };
const PODS_SHOWN = 150;

/** A node: how full it is by what is asked of it, what it uses, and each of its pods. */
export function NodeCard({ load }: { readonly load: NodeLoad }): ReactNode {
  const text = useText();
  const { name, isReady, isCordoned, allocatable, requests, usage, pods, podsMax } = load;
  return (
    <Card withBorder padding="sm" component="section" aria-label={name}>
      <Group justify="space-between" mb={4}>
        <Link to={{ page: 'object', gvr: NODES, namespace: '', name, tab: 'summary' }}>{name}</Link>
        <Badge variant="dot" color={isReady ? (isCordoned ? 'orange' : 'teal') : 'red'} tt="none">
          {isReady ? (isCordoned ? text.cordoned : text.ready) : text.notReady}
        </Badge>
      </Group>
      <Bar
        label={text.cpu}
        text={`${coresText(requests.milliCpu)} / ${coresText(allocatable.milliCpu)}`}
        share={shareOf(requests.milliCpu, allocatable.milliCpu)}
        used={usage === undefined ? undefined : shareOf(usage.milliCpu, allocatable.milliCpu)}
      />
      <Bar
        label={text.memory}
        text={`${bytesText(requests.memoryBytes)} / ${bytesText(allocatable.memoryBytes)}`}
        share={shareOf(requests.memoryBytes, allocatable.memoryBytes)}
        used={usage === undefined ? undefined : shareOf(usage.memoryBytes, allocatable.memoryBytes)}
      />
      <Text size="xs" c="dimmed" mt={4}>
        {text.pods} {pods.length} / {podsMax}
      </Text>
      <ul className={classes['pods']} aria-label={`${text.pods}: ${name}`}>
        {pods.slice(0, PODS_SHOWN).map((pod) => (
          <li key={`${pod.metadata.namespace}/${pod.metadata.name}`}>
            <PodSquare pod={pod} />
          </li>
        ))}
        {pods.length > PODS_SHOWN ? <li>…</li> : null}
      </ul>
    </Card>
  );
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.min(100, (part / whole) * 100);
}

interface BarProps {
  readonly label: string;
  readonly text: string;
  /** Percent that is asked for. */
  readonly share: number;
  /** Percent that is used; undefined: nobody measures. */
  readonly used: number | undefined;
}

function Bar({ label, text: told, share, used }: BarProps): ReactNode {
  const text = useText();
  return (
    <>
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          {label}
        </Text>
        <Text size="xs" style={{ fontVariantNumeric: 'tabular-nums' }}>
          {told}
        </Text>
      </Group>
      <Progress value={share} size="sm" aria-label={`${label}: ${text.requested}`} />
      {used === undefined ? null : (
        <Progress value={used} size={3} mt={2} color="teal" aria-label={`${label}: ${text.used}`} />
      )}
    </>
  );
}

function PodSquare({ pod }: { readonly pod: PodSummary }): ReactNode {
  const { name, namespace = '' } = pod.metadata;
  const to: Route = { page: 'object', gvr: PODS, namespace, name, tab: 'summary' };
  const told = `${namespace}/${name}: ${pod.phase}`;
  return (
    <a
      href={addressOf(to)}
      onClick={(event) => follow(event, to)}
      className={classes['pod']}
      data-phase={pod.phase}
      data-ready={pod.isReady}
      title={told}
      aria-label={told}
    />
  );
}
