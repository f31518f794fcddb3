import { Group, Loader, Stack, Text, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import type { Resource } from '../api/discovery.ts';
import { useKinds } from '../kinds/use-kinds.ts';
import { readObjects } from '../palette/read-objects.ts';
import { Link } from '../route/link.tsx';
import { listOf } from '../route/route.ts';
import { useText } from '../texts/use-text.ts';
import { visible } from '../texts/visible.ts';
import { findOwned } from './owned.ts';
import type { TabProps } from './tab-props.ts';
import { mentionsOf, ownersOf } from './related.ts';
import { selectedPods } from './selected-pods.ts';

/** What an object belongs to, what belongs to it, and what it names. */
export function RelatedTab({ kind, object }: TabProps): ReactNode {
  const text = useText();
  const kinds = useKinds();
  const { namespace = '' } = object.metadata;
  const owners = ownersOf(object).map(({ apiVersion, kind: name, name: owner }) => ({
    kind: kinds.find((one) => one.kind === name && groupOf(apiVersion) === one.group),
    label: `${name} ${owner}`,
    name: owner,
    namespace,
  }));
  const mentions = mentionsOf(object).map(({ group, resource, name, field }) => ({
    kind: kinds.find((one) => one.group === group && one.resource === resource),
    label: `${name} (${field})`,
    name,
    namespace,
  }));
  return (
    <Stack gap="md">
      <Links title={text.belongsTo} links={owners} />
      <Owned kind={kind} object={object} />
      <Selected object={object} />
      <Links title={text.names} links={mentions} />
    </Stack>
  );
}

const LINKS_MAX = 300;

interface LinksProps {
  readonly title: string;
  readonly links: readonly RelatedLink[];
}

interface RelatedLink {
  /** Undefined: nobody serves it. */
  readonly kind: Resource | undefined;
  readonly label: string;
  readonly name: string;
  /** Of kinds that are in one. */
  readonly namespace: string;
}

function Links({ title, links }: LinksProps): ReactNode {
  const text = useText();
  return (
    <Stack gap={4}>
      <Title order={2} size="h5">
        {title}
      </Title>
      {links.length === 0 ? <Text c="dimmed">{text.nothing}</Text> : null}
      {links.slice(0, LINKS_MAX).map(({ kind, label, name, namespace }) =>
        kind === undefined ? (
          <Text key={label} size="sm">
            {visible(label)}
          </Text>
        ) : (
          <Group key={label}>
            <Link to={{ page: 'object', gvr: kind, namespace: kind.namespaced ? namespace : '', name, tab: 'summary' }}>
              {visible(label)}
            </Link>
          </Group>
        ),
      )}
      {links.length > LINKS_MAX ? <Text c="dimmed">… {links.length - LINKS_MAX}</Text> : null}
    </Stack>
  );
}

/** Asks every kind that can be listed, once: which of its objects belong to this one is known to nobody else. */
function Owned({ object }: TabProps): ReactNode {
  const text = useText();
  const kinds = useKinds();
  const [links, setLinks] = useState<readonly RelatedLink[]>();
  const { uid = '', namespace } = object.metadata;
  useEffect(() => {
    const gone = new AbortController();
    const show = (owned: readonly RelatedLink[]): void => {
      if (!gone.signal.aborted) setLinks(owned);
    };
    findOwned(kinds, { uid, namespace, signal: gone.signal, read: readObjects }).then(show, () => show([]));
    return () => gone.abort();
  }, [kinds, uid, namespace]);
  return links === undefined ? <Loader size="sm" /> : <Links title={text.owns} links={links} />;
}

const PODS = { group: '', version: 'v1', resource: 'pods' };

/** The way to the list of the pods that it selects, or that run on it. */
function Selected({ object }: Pick<TabProps, 'object'>): ReactNode {
  const text = useText();
  const selection = selectedPods(object);
  if (selection === undefined) return null;
  const { namespace = '' } = object.metadata;
  return (
    <Stack gap={4}>
      <Title order={2} size="h5">
        {text.pods}
      </Title>
      <Group>
        <Link to={{ ...listOf(PODS, namespace), ...selection }}>{selection.labels || selection.fields}</Link>
      </Group>
    </Stack>
  );
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}
